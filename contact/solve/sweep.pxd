# Projected Gauss-Seidel: visit one block after the other, each time with its local problem solved exactly (Hwangbo,
# Lee and Hutter, RA-L 2018).

from rbdyn.contact.islands cimport Island
from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solve.settings cimport Settings

cdef double sweep(Operator* G, const Settings* s, double alpha, double* impulse) noexcept nogil
cdef void note_error(Island* island, const ContactProblem* p, double* history) noexcept nogil
cdef void sweep_island(Island* island, const Settings* s, double threshold, double tolerance, int most, bint patient,
                       const ContactProblem* p, double* history) noexcept nogil
