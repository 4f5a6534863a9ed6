# Overlaps of a robot with itself that no push lessens: told pair by pair, and left alone.
#
# Shapes of neighbours but one may overlap in every pose; where their deepest point is changes with the pose, and pushes
# along its normal would move joints to and fro without end.  A pair that was asked to part by several times its depth,
# and is as deep as before, is not asked again until its depth changes by itself.  It is held not to go in any further.

from rbdyn.collision._types cimport ContactPoint

cdef struct Overlap:          # of two shapes
    int a, b                  # shapes
    double depth              # smallest since it was last anew [m]
    double asked              # how far it was asked to part since then [m]
    bint left                 # it is not asked any more

cdef struct Overlaps:         # all zero: none
    int n, n_next
    Overlap* now              # (n,) of the latest step, in the order of its contacts
    Overlap* next             # (n_next,) of this step, while it is written
    int at                    # the first of `now` that may be met still
    size_t room[2]

cdef void release_overlaps(Overlaps* o) noexcept
cdef int begin_overlaps(Overlaps* o, int contacts) except -1 nogil
cdef bint leave_alone(Overlaps* o, const ContactPoint* c, double depth, double asked) noexcept nogil
cdef int copy_overlaps(Overlaps* to, const Overlaps* from_) except -1 nogil
cdef void end_overlaps(Overlaps* o) noexcept nogil
cdef void forget_overlaps(Overlaps* o, int shape) noexcept nogil
