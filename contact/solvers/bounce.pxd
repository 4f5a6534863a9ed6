# Restitution must make no energy.
#
# Newton's law of restitution sets the normal velocity after a blow whatever friction and other blows do.  Where a blow
# turns the slip round, friction works with the slip after it, and energy may grow (Kane and Levinson, 1985); so it may
# where several contacts are coupled and some of them do not bounce: stops, things that rest.  A contact whose impulse
# does work bounces less: by as much as it must, found by bisection between its restitution and none, so that what is
# left of the energy has no jump where that begins.  Then all impulses of the island are judged together, and if they do
# work, all of its bounces are lowered by one share in the same way: without any, the impulses take energy,
# lam . v+ <= 0 in every law, hence lam . (v + v+) <= -lam . G lam.  Where sweeps end before that is so, what they have
# found is taken times a share at which it does no work.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.problem cimport ContactProblem

cdef struct Search:           # of how much the bounces of an island are lowered
    bint together             # all of them by one share; else those that do work alone
    int turn                  # solves of this kind so far
    double share              # of what they are alone, together

cdef Search begin_search() noexcept nogil
cdef bint lower_bounces(Island* island, const ContactProblem* p, Search* search, int left) noexcept nogil
cdef void keep_from_gaining(Island* island, const ContactProblem* p, const Search* search) noexcept nogil
