# Triangles as a camera sees them, in homogeneous coordinates: those that reach behind the camera need no clipping.
#
# A ray d meets the triangle a, b, c where (b x c).d, (c x a).d and (a x b).d have one sign, at a depth of
# n.a / n.d with n = (b - a) x (c - a).  All of these are linear over the picture, the depth's inverse too.
# Source: M. Olano, T. Greer, Triangle scan conversion using 2D homogeneous coordinates (Graphics Hardware, 1997).

from libc.math cimport fabs

from rbdyn.rendering.scene cimport Corner, Facet, Lens, Line
from rbdyn.spatial._algebra cimport Vec3, cross3, dot3, neg3, scale3, sub3, vec3

cdef enum:
    WIDE = 6                  # columns from which a row's ends are computed

cdef inline double hair() noexcept nogil:
    """[pixels] that rounding may move what is projected."""
    return 1e-6

cdef inline Line line_of(const Lens* lens, Vec3 n) noexcept nogil:
    """n.d over the picture; exactly the negative for -n."""
    cdef Line f
    f.a, f.b = n.x * lens.ix, n.y * lens.iy
    f.c = n.z - f.a * lens.cx - f.b * lens.cy
    return f

cdef inline void widen(double* box, double u, double v) noexcept nogil:
    """Widen a box so that it holds a point."""
    if u < box[0]:
        box[0] = u
    if u > box[1]:
        box[1] = u
    if v < box[2]:
        box[2] = v
    if v > box[3]:
        box[3] = v

cdef inline int first_middle(double x, int size) noexcept nogil:
    """The first pixel of a row of `size` whose middle is at x or beyond, or a hair before."""
    cdef int k
    if not x > 0.0:
        return 0
    if x > size:
        return size
    k = <int> (x - hair())
    return k if k + 0.5 >= x - hair() else k + 1

cdef inline int last_middle(double x, int size) noexcept nogil:
    """One more than the last pixel whose middle is at x or before, or a hair beyond."""
    cdef int k
    if not x > 0.0:
        return 0
    if x > size:
        return size
    k = <int> (x + hair())
    return k + 1 if k + 0.5 <= x + hair() else k

cdef inline bint pixels_of(const Lens* lens, const double* box, int* out) noexcept nogil:
    """The pixels whose middles lie in a box, or a hair beside it; whether there are any."""
    out[0], out[1] = first_middle(box[0], lens.width), last_middle(box[1], lens.width)
    out[2], out[3] = first_middle(box[2], lens.height), last_middle(box[3], lens.height)
    return out[0] < out[1] and out[2] < out[3]

cdef inline void widen_clipped(const Lens* lens, double* box, const double* a, const double* b) noexcept nogil:
    """Widen a box by what of a side that goes through the near plane lies there."""
    cdef double s
    if (a[2] >= lens.near) != (b[2] >= lens.near):
        s = (lens.near - a[2]) / (b[2] - a[2])
        widen(box, lens.cx + lens.fx * (a[0] + s * (b[0] - a[0])) / lens.near,
              lens.cy + lens.fy * (a[1] + s * (b[1] - a[1])) / lens.near)

cdef inline bint box_of(const Lens* lens, const Corner* a, const Corner* b, const Corner* c, int* out) noexcept nogil:
    """The pixels that a triangle may cover; whether there are any."""
    cdef double[4] box
    if a.x[2] >= lens.near and b.x[2] >= lens.near and c.x[2] >= lens.near:
        box[0] = box[1] = a.u
        box[2] = box[3] = a.v
        widen(box, b.u, b.v)
        widen(box, c.u, c.v)
        return pixels_of(lens, box, out)
    box[0], box[1], box[2], box[3] = 1e300, -1e300, 1e300, -1e300
    if a.x[2] >= lens.near:
        widen(box, a.u, a.v)
    if b.x[2] >= lens.near:
        widen(box, b.u, b.v)
    if c.x[2] >= lens.near:
        widen(box, c.u, c.v)
    widen_clipped(lens, box, a.x, b.x)
    widen_clipped(lens, box, b.x, c.x)
    widen_clipped(lens, box, c.x, a.x)
    return pixels_of(lens, box, out)

cdef inline Vec3 place(const Corner* a) noexcept nogil:
    return vec3(a.x[0], a.x[1], a.x[2])

cdef inline double least_within(const Line* f) noexcept nogil:
    """Above which a value is within, so that what lies on the side of two triangles is of one of them."""
    return -1e-300 if f.a > 0.0 or (f.a == 0.0 and f.b > 0.0) else 0.0

cdef inline bint see_facet(
        const Lens* lens, const Corner* a, const Corner* b, const Corner* c, bint one_sided, Facet* f) noexcept nogil:
    """Whether something of a triangle may be seen; its functions then."""
    cdef Vec3 A = place(a), B = place(b), C = place(c), n, e0, e1, e2
    cdef double h
    cdef int k
    if A.z < lens.near and B.z < lens.near and C.z < lens.near:
        return False
    if A.z > lens.far and B.z > lens.far and C.z > lens.far:
        return False
    n = cross3(sub3(B, A), sub3(C, A))
    h = dot3(n, A)
    if h == 0.0 or (one_sided and h > 0.0):
        return False
    if not box_of(lens, a, b, c, f.box):
        return False
    e0, e1, e2 = cross3(B, C), cross3(C, A), cross3(A, B)
    f.back = h > 0.0
    if not f.back:
        e0, e1, e2 = neg3(e0), neg3(e1), neg3(e2)
    f.edge[0], f.edge[1], f.edge[2] = line_of(lens, e0), line_of(lens, e1), line_of(lens, e2)
    for k in range(3):
        f.least[k] = least_within(&f.edge[k])
    f.nearness = line_of(lens, scale3(1.0 / h, n))
    return True

cdef inline void narrow(const Facet* f, double v, int* begin, int* end) noexcept nogil:
    """The columns of a row between the sides of a triangle, and a hair more."""
    cdef double r, x
    cdef int k
    for k in range(3):
        r = f.edge[k].b * v + f.edge[k].c
        if f.edge[k].a == 0.0:
            continue
        x = -r / f.edge[k].a
        if not fabs(x) < 1e9:
            continue
        if f.edge[k].a > 0.0 and x - 1.0 > begin[0]:
            begin[0] = <int> (x - 1.0)
        elif f.edge[k].a < 0.0 and x + 1.0 < end[0]:
            end[0] = <int> (x + 1.0) if x > -1.0 else 0

cdef inline void draw_facet(const Facet* f, int name, const int* tile, int width, double most, double* nearness,
                            int* seen) noexcept nogil:
    """Where a triangle is nearer than what was drawn before, and no nearer than `most` [1/m], it is seen."""
    cdef int x, y, begin, end
    cdef double u, v, z, r0, r1, r2, rz
    cdef double a0 = f.edge[0].a, a1 = f.edge[1].a, a2 = f.edge[2].a, az = f.nearness.a
    cdef double l0 = f.least[0], l1 = f.least[1], l2 = f.least[2]
    cdef double* row
    for y in range(max(f.box[2], tile[2]), min(f.box[3], tile[3])):
        v = y + 0.5
        begin, end = max(f.box[0], tile[0]), min(f.box[1], tile[1])
        if end - begin > WIDE:
            narrow(f, v, &begin, &end)
        r0, r1 = f.edge[0].b * v + f.edge[0].c, f.edge[1].b * v + f.edge[1].c
        r2, rz = f.edge[2].b * v + f.edge[2].c, f.nearness.b * v + f.nearness.c
        row = nearness + <size_t> y * width
        for x in range(begin, end):
            u = x + 0.5
            z = rz + az * u
            if z > row[x] and z <= most and r0 + a0 * u > l0 and r1 + a1 * u > l1 and r2 + a2 * u > l2:
                row[x] = z
                seen[<size_t> y * width + x] = name
