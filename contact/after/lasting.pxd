# What of a step's impulses lasts, for the next step to begin with.
#
# An impulse balances the forces of a step, which the next one has too, and changes velocities, which is over then.
# With d = lam - lam0 the change that a solve made of the impulses lam0 which it began with, and v- and v+ the bodies'
# own velocities along the rows at the start and the end of the step,
#
#     share = d . (v+ - v-) / d . G d,        lam - share d
#
# is what the next step begins with: exact where v+ - v- and what d does, G d, have one direction.  That of a body that
# lands is its weight and not the blow; a residue of velocity that a solve left to the next one, which stopped it, does
# not come back with the opposite sign, for ever.  The products are over rows whose law holds a velocity: sliding
# friction changes velocities, and goes on.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.problem cimport ContactProblem

cdef void note_begun(Island* island) noexcept nogil
cdef void keep_lasting(Island* island, const ContactProblem* p) noexcept nogil
