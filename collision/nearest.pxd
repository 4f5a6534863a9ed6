# Any two shapes: what is nearest, and when one that is shifted meets the other.

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.kernels.nearest cimport Nearest
from rbdyn.spatial._algebra cimport Vec3

# Distance, closest points and normal of two shapes that have a distance.
cdef void find_nearest(const PosedShape* a, const PosedShape* b, Nearest* out) noexcept nogil

# Whether a meets b within `most` (0 to 1) of its way [m], at which share of it, and what is nearest there.
cdef bint find_meeting(const PosedShape* a, const PosedShape* b, Vec3 way, double most, double* t,
                       Nearest* at) noexcept nogil
