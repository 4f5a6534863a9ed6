# How many contacts two bodies of one robot may have.

from rbdyn.collision._types cimport ContactBuffer

cdef struct SelfLimit:        # of a robot
    int first, last           # its body handles
    int most                  # contacts of two of its bodies

cdef struct SelfLimits:       # all zero: nobody has one
    SelfLimit* of             # (n,) of robots that have one
    int n
    size_t room

cdef void thin_out(const SelfLimits* limits, ContactBuffer* found) noexcept nogil
