# When an island ends in proximal steps, and what becomes of it.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.acceleration.anderson cimport Anderson
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.contact.solvers.settings cimport Settings

cdef bint soften_changes(Island* island, Anderson* A, Direct* S, const Settings* s, const ContactProblem* p,
                         size_t* reallocations) except -1 nogil
