# Triangles of a surface under a flat face of a convex shape: what is found without a descent.
#
# All of the shape lies beyond the plane of its face.  A triangle on the other side of that plane, all of which is under
# the face, is as far from the shape as its nearest corner is from the plane, along the plane's normal.  If it is in the
# shape by a depth d, and the face goes on by 4 d around it, the push along that normal is the least: one that is turned
# by the angle phi is at least d cos(phi) + 4 d sin(phi), which is more than d up to 150 degrees.

from libc.math cimport INFINITY
from libc.string cimport memset

from rbdyn.collision._types cimport MAX_SIDES, PosedShape, SupportingFeature
from rbdyn.collision.kernels.manifold cimport Manifold, add_point, clear
from rbdyn.collision.kernels.triangle cimport (
    EDGE, FACE, HOLLOW, Side, TriangleData, corner, falls_away, hardly, middle_of, side_of, triangle_of,
)
from rbdyn.collision.kernels.vectors cimport along, norm3
from rbdyn.collision.sink cimport Sink, emit
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, mul3, neg3, scale3, sub3, tmul3


cdef enum:
    MAX_TOLD = 128
    BESIDE = 4                     # what is farther within a face than so many depths has no shorter push beside it

cdef struct Facing:                # a face of a shape, in the frame of a surface
    int n                          # its sides; 0: no face is known
    Vec3 up                        # unit normal into the shape
    double height                  # of the face along it [m]
    Vec3[MAX_SIDES] inward         # unit normal of each side
    double[MAX_SIDES] border       # of the side along it [m]
    Vec3 middle                    # of the shape [m]
    double thick                   # height of that over the face [m]
    int[MAX_TOLD] told             # vertices that have their contacts, each in one place; -1: none there


cdef inline void set_facing(const PosedShape* a, const PosedShape* b, Vec3 n, Facing* face) noexcept nogil:
    """Set the face of a that looks along -n (world, unit) at the surface b; none if a has no such face."""
    cdef SupportingFeature f
    cdef Vec3[MAX_SIDES] x
    cdef Vec3 e
    cdef double sign
    cdef int k
    face.n = 0
    a.s.convex.feature(a, neg3(n), &f)
    if not f.flat or dot3(f.normal, n) > -1.0 + 5e-7:      # 1e-3 rad
        return
    face.up, face.middle = tmul3(b.X.R, neg3(f.normal)), tmul3(b.X.R, sub3(middle_of(a), b.X.p))
    for k in range(f.n):
        x[k] = tmul3(b.X.R, sub3(f.point[k], b.X.p))
    face.height = dot3(face.up, x[0])
    face.thick = dot3(face.up, face.middle) - face.height
    memset(face.told, -1, sizeof(face.told))
    sign = 1.0 if dot3(face.up, cross3(sub3(x[1], x[0]), sub3(x[2], x[0]))) > 0.0 else -1.0
    for k in range(f.n):
        e = cross3(face.up, sub3(x[k + 1 if k + 1 < f.n else 0], x[k]))
        face.inward[k] = scale3(sign / norm3(e), e)
        face.border[k] = dot3(face.inward[k], x[k])
    face.n = f.n


cdef inline bint is_under(const Facing* face, const TriangleData* t, double inset) noexcept nogil:
    """Test whether all of a triangle is within the face, by `inset` [m], seen along its normal."""
    cdef int i, k
    for i in range(face.n):
        for k in range(3):
            if dot3(face.inward[i], corner(t, k)) < face.border[i] + inset:
                return False
    return True


cdef inline int* told(Facing* face, int vertex) noexcept nogil:
    """Where it is kept that a vertex has its contact: the latest of those that have this place."""
    return &face.told[vertex % MAX_TOLD]


cdef inline bint tells_nothing_new(
        Facing* face, const TriangleData* t, const double* gap, double margin) noexcept nogil:
    """Test whether all corners within the margin have their contacts."""
    cdef int k
    for k in range(3):
        if gap[k] < margin and told(face, t.vertex[k])[0] != t.vertex[k]:
            return False
    return True


cdef inline void tell_corners(Facing* face, const PosedShape* b, const double* gap, double margin, Vec3 n,
                              Sink* sink) noexcept nogil:
    """Emit the contacts along n of corners within the margin that have none yet."""
    cdef const TriangleData* t = triangle_of(b)
    cdef Manifold m
    cdef int k
    clear(&m)
    m.normal = mul3(b.X.R, n)
    for k in range(3):
        if gap[k] < margin and told(face, t.vertex[k])[0] != t.vertex[k]:
            add_point(&m, add3(b.X.p, mul3(b.X.R, along(corner(t, k), 0.5 * gap[k], n))), -gap[k], 4 * k)
            told(face, t.vertex[k])[0] = t.vertex[k]
    emit(sink, &m)


cdef inline bint is_level(const TriangleData* t, Vec3 up) noexcept nogil:
    """Test whether the surface falls away beyond no side of a triangle."""
    cdef int k
    for k in range(3):
        if falls_away(t, k, up):
            return False
    return True


cdef inline double meet_under(Facing* face, const PosedShape* b, double margin, Sink* sink) noexcept nogil:
    """Emit the contacts of the shape with a triangle, as convex_triangle does; how deep it lies in that [m].

    By hardly anything if its contacts are there already.  -1 if convex_triangle has to be asked.  A vertex has one
    contact, whichever of its triangles is met first.
    """
    cdef const TriangleData* t = triangle_of(b)
    cdef double[3] gap
    cdef double low = INFINITY
    cdef Vec3 up = t.normal
    cdef Side side
    cdef int k
    for k in range(3):
        gap[k] = face.height - dot3(face.up, corner(t, k))
        low = min(low, gap[k])
    if low >= margin:
        return 0.0
    if -low > face.thick or not is_under(face, t, max(0.0, -BESIDE * low)):
        return -1.0
    if dot3(up, sub3(face.middle, corner(t, 0))) < 0.0:
        if t.one_sided:
            return 0.0 if low > 0.0 else -1.0
        up = neg3(up)
    if tells_nothing_new(face, t, gap, margin):
        return hardly() if low < 0.0 else 0.0
    side = side_of(t, face.up, up, face.middle)
    if side == EDGE or (side == FACE and is_level(t, up)):
        tell_corners(face, b, gap, margin, up if side == FACE else face.up, sink)
        return max(0.0, -low)
    return 0.0 if low > 0.0 and side != FACE and side != HOLLOW else -1.0
