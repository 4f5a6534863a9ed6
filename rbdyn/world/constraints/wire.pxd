from rbdyn.memory cimport Arena
from rbdyn.stepping.constraints.bodies.wire cimport Wire as Rope
from rbdyn.world.constraints.constraint cimport Constraint

cdef class Wire(Constraint):
    cdef Rope wire
    cdef Arena arrays
    cdef int begin(self, list ends, object points, object ratios) except -1
    cdef list given                      # points as `begin` got them
    cdef readonly object law             # of a custom wire: tension(length, rate)
    cdef double run(self) except? -1.0
    cdef int ask(self) except -1
