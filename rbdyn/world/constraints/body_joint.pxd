from rbdyn.spatial._algebra cimport Motion
from rbdyn.stepping.constraints.bodies.joints cimport BodyJoint as CJoint
from rbdyn.world.constraints.constraint cimport Constraint

cdef class BodyJoint(Constraint):
    cdef CJoint c
    cdef readonly object joint           # the Joint that it was made of
    cdef tuple given                     # poses as `begin` got them
    cdef int begin(self, list ends, object joint, object before, object after) except -1
    cdef Motion open_by(self)
    cdef int give_way(self, object soft, object damped) except -1
    cdef int check_one(self) except -1
