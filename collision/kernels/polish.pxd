# The last digits of nearest points, and of where two shapes touch: polish.pyx.

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.kernels.nearest cimport Nearest
from rbdyn.spatial._algebra cimport Vec3

cdef bint polish(const PosedShape* a, const PosedShape* b, Nearest* at) noexcept nogil
cdef bint touch(const PosedShape* a, const PosedShape* b, Vec3 way, double* t, Nearest* at) noexcept nogil
