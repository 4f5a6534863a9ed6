# How contacts that hold share their load: by least norm, whatever the order in which they are visited.
#
# Four corners of a face can bear one load in many ways, and so can two fingers that pinch.  Sweeps, which visit one
# contact after the other, leave nearly all of it to the first; that one slides before the others bear anything.  The
# method of multipliers finds the impulses nearest to those that it begins with: from none, those of the least
# sum |lam|^2 / rho.  They make the same velocities, so that all laws hold if cones do; impulses go as far as these
# allow.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.workspace cimport Direct

cdef int share_loads(Direct* S, Island* island, const ContactProblem* p, double threshold,
                     size_t* reallocations) except -1 nogil
