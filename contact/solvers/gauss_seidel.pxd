# Gauss-Seidel over contacts: visit one contact after the other, each time with its local problem solved exactly.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solve.newton cimport Newton
from rbdyn.contact.solvers.acceleration.anderson cimport Anderson
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.contact.solvers.settings cimport Settings

cdef int solve_island(Island* island, Anderson* A, Direct* S, Newton* N, const Settings* s, const ContactProblem* p,
                      double* history, size_t* reallocations) except -1 nogil
