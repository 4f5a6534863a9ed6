# Restitution with friction must make no energy.
#
# Newton's law of restitution sets the normal velocity after a blow whatever friction does.  Where a blow turns the slip
# round, friction works with the slip after it, and energy may grow (Kane and Levinson, 1985).  Such a contact bounces
# less: its target is halved until its impulse takes energy, and given up in the end.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.problem cimport ContactProblem

cdef enum:
    LOWERINGS = 4             # of a bounce, at most; the last one takes all of it

cdef bint lower_bounces(Island* island, const ContactProblem* p, bint entirely) noexcept nogil
