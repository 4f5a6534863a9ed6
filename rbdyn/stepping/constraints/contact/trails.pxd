# Where contacts were at the step before: what turning alone has made of the velocity at a contact since then.
#
# A step gives impulses at the poses of its start, then moves with what they made: kick and drift, as the leapfrog does.
# Where a contact moves over its body (the rim of a disc, the tip of a top, a corner about which a box turns), the drift
# changes the velocity of the material at it, by d in a step, though no impulse acts.  Impulses that take all of d away
# take d G^-1 d / 2 of the energy, at the order of the step in sum.  They take none if half of d is what was left from
# the step before, and half of it is left for the next: the laws then hold in the middle of the drift on both sides,
#
#     before the kick   J v - d / 2,         after it   J v+ + d / 2,
#
# and the work of an impulse, lam . J (v + v+) / 2, is what these two say of it.  What rolls keeps its energy to second
# order then, as the implicit midpoint rule does, and what is not rolling is stopped at once, which that rule would
# reflect for ever.  d / 2 is cut to the length of J v: larger than what it is part of it would make energy.
#
# Kick and drift: Hairer, Lubich, Wanner, "Geometric numerical integration illustrated by the Stormer-Verlet method",
# Acta Numerica 12, 2003.

from rbdyn.collision._types cimport ContactPoint
from rbdyn.spatial._algebra cimport Mat3, Vec3
from rbdyn.stepping.pair_history cimport PairTable
from rbdyn.stepping.scene cimport Scene

cdef Vec3 half_bend(PairTable* t, const Scene* s, const ContactPoint* c, const Mat3* E, Vec3 v) noexcept nogil
