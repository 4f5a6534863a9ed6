# Overlaps of a robot with itself that no push lessens: told pair by pair, and left alone.
#
# Shapes of neighbours but one may overlap in every pose; where their deepest point is changes with the pose, and pushes
# along its normal would move joints to and fro without end.  A pair that was asked to part by several times its depth,
# and much farther than it parted, is not asked again until it is deeper than ever.  If it came together by motion it is
# held not to go in any further.  If it was deep when it was first seen it has to part by a tenth of what it is asked,
# from the first step on, and else is no contact until it parted: pushes that part nothing turn joints, and load the
# springs of motors.  Detection does not examine such a pair until its bodies have moved by its depth (overlap.pxd).

from rbdyn.collision._types cimport ContactPoint, Pose
from rbdyn.collision.overlap cimport KnownOverlaps
from rbdyn.stepping.pair_history cimport PairTable

cdef enum Handling:
    PART                      # pushed apart
    HOLD                      # held where they are
    IGNORE                    # no contact

cdef KnownOverlaps known_overlaps(PairTable* o, double slop) noexcept nogil
cdef Handling handling_of(PairTable* o, const ContactPoint* c, const Pose* there, double depth, double slop,
                          double asked) noexcept nogil
cdef void keep_passed(PairTable* o) noexcept nogil
