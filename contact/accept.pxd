# What every solver's impulses must pass before they are returned: finite, and no kinetic energy out of nothing.

from rbdyn.contact.islands cimport Island
from rbdyn.contact.operator cimport Operator

cdef double energy(const Operator* G, const double* impulse, double* size) noexcept nogil
cdef void scale(Island* island, double share) noexcept nogil
cdef void accept(Island* island) noexcept nogil
