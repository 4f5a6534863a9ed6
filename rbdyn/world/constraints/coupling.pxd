from rbdyn.memory cimport Arena
from rbdyn.stepping.constraints.joints.couplings cimport Coupling as CCoupling
from rbdyn.world.constraints.constraint cimport Constraint
from rbdyn.world.objects.scene_memory cimport SceneMemory

cdef class Coupling(Constraint):
    cdef CCoupling c
    cdef Arena arrays
    cdef readonly dict coefficients      # (robot, "joint") -> coefficient
    cdef int begin(self, SceneMemory memory, dict coefficients) except -1
    cdef double open_by(self)
