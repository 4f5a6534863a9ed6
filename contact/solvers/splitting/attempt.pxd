# The last attempt at an island that sweeps leave unsolved.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.acceleration.anderson cimport Anderson
from rbdyn.contact.solvers.direct.workspace cimport Direct
from rbdyn.contact.solvers.settings cimport Settings

cdef bint split(Island* island, Anderson* A, Direct* S, const Settings* s, const ContactProblem* p,
                size_t* reallocations) except -1 nogil
