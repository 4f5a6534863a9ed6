# One island: sweep, Newton's method where sweeps converge slowly, and the checks of energy.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solve.newton cimport Newton
from rbdyn.contact.solve.settings cimport Settings

cdef int solve_island(Island* island, Newton* N, const Settings* s, const ContactProblem* p,
                      double* history) except -1 nogil
