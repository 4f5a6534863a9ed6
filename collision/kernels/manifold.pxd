# The contacts of one pair of shapes that share a normal; a kernel emits as many manifolds as it needs.

from rbdyn.spatial._algebra cimport Vec3


cdef enum:
    MAX_POINTS = 8                 # of one manifold

cdef struct Manifold:
    int n
    Vec3 normal                    # world, unit, points into the first shape
    Vec3 position[MAX_POINTS]      # world [m], midway between the surfaces
    double depth[MAX_POINTS]       # [m]
    int feature[MAX_POINTS]        # ascending; no two of one pair of shapes are equal


cdef inline void clear(Manifold* m) noexcept nogil:
    m.n = 0

cdef inline void add_point(Manifold* m, Vec3 position, double depth, int feature) noexcept nogil:
    """Add a point and keep the features ascending.  The caller adds MAX_POINTS at most."""
    cdef int k = m.n
    while k > 0 and m.feature[k - 1] > feature:
        m.position[k] = m.position[k - 1]
        m.depth[k] = m.depth[k - 1]
        m.feature[k] = m.feature[k - 1]
        k -= 1
    m.position[k] = position
    m.depth[k] = depth
    m.feature[k] = feature
    m.n += 1
