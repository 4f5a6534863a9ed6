# Restitution must make no energy.
#
# Newton's law of restitution sets the normal velocity after a blow whatever friction and other blows do.  Where a blow
# turns the slip round, friction works with the slip after it, and energy may grow (Kane and Levinson, 1985); so it may
# where several contacts are coupled and some of them do not bounce: stops, things that rest.  A contact whose impulse
# does work bounces less: its target is halved until its impulse takes energy, and given up in the end.  Then all
# impulses of the island are judged together, and while they do work, all of its bounces are halved, and given up in the
# end: without any, the impulses take energy, lam . v+ <= 0 in every law, hence lam . (v + v+) <= -lam . G lam.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.problem cimport ContactProblem

cdef enum:
    LOWERINGS = 8             # of the bounces of an island, at most; the last one takes all of them
    ALONE = 4                 # of these lower the bounces that do work alone; the last of these takes all of such a one

cdef bint lower_bounces(Island* island, const ContactProblem* p, int turn) noexcept nogil
