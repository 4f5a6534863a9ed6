# What a far lamp sees: how far towards it the nearest thing lies, for each pixel of a square.
#
# Source: L. Williams, Casting curved shadows on curved surfaces (SIGGRAPH 1978).

from libc.math cimport ceil, floor, fmax, fmin

from rbdyn.rendering.light cimport Eye, Shadow
from rbdyn.rendering.scene cimport Thing
from rbdyn.spatial._algebra cimport Vec3, add3, mul3, matmul3, sub3, vec3, Mat3

cdef inline void draw_shadow(const Thing* t, const Shadow* s, const Eye* eye, float* height) noexcept nogil:
    """Draw the triangles of a thing, whichever way they face."""
    cdef Mat3 R = matmul3(s.to_lamp, t.R_world)
    cdef Vec3 p = mul3(s.to_lamp, sub3(add3(eye.p, mul3(eye.R, t.p)), s.center)), a, b, c
    cdef const int* f = t.face
    cdef int k
    for k in range(t.n_faces):
        a = seen_by_lamp(t.vertex + 3 * f[3 * k], R, p, s)
        b = seen_by_lamp(t.vertex + 3 * f[3 * k + 1], R, p, s)
        c = seen_by_lamp(t.vertex + 3 * f[3 * k + 2], R, p, s)
        draw_flat(a, b, c, s.n, height)

cdef inline Vec3 seen_by_lamp(const double* x, Mat3 R, Vec3 p, const Shadow* s) noexcept nogil:
    """A corner: column and row in the square, and how far towards the lamp [m]."""
    cdef Vec3 y = add3(p, mul3(R, vec3(x[0], x[1], x[2])))
    return vec3(y.x / s.pixel + 0.5 * s.n, y.y / s.pixel + 0.5 * s.n, y.z)

cdef inline void draw_flat(Vec3 a, Vec3 b, Vec3 c, int n, float* height) noexcept nogil:
    """The middles of pixels within a triangle: where it is higher than what was drawn before."""
    cdef double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x), zx, zy, z, u, v, e0, e1, e2
    cdef int x, y, x0, x1, y0, y1
    cdef float* row
    if area == 0.0:
        return
    x0 = <int> fmax(0.0, ceil(fmin(fmin(a.x, b.x), fmin(c.x, n + 1.0)) - 0.5))
    x1 = <int> fmin(<double> n, floor(fmax(fmax(a.x, b.x), fmax(c.x, -1.0)) - 0.5) + 1.0)
    y0 = <int> fmax(0.0, ceil(fmin(fmin(a.y, b.y), fmin(c.y, n + 1.0)) - 0.5))
    y1 = <int> fmin(<double> n, floor(fmax(fmax(a.y, b.y), fmax(c.y, -1.0)) - 0.5) + 1.0)
    zx = ((b.z - a.z) * (c.y - a.y) - (c.z - a.z) * (b.y - a.y)) / area
    zy = ((b.x - a.x) * (c.z - a.z) - (c.x - a.x) * (b.z - a.z)) / area
    if area < 0.0:
        b, c = c, b
    for y in range(y0, y1):
        v, row = y + 0.5, height + <size_t> y * n
        for x in range(x0, x1):
            u = x + 0.5
            e0 = (b.x - a.x) * (v - a.y) - (b.y - a.y) * (u - a.x)
            e1 = (c.x - b.x) * (v - b.y) - (c.y - b.y) * (u - b.x)
            e2 = (a.x - c.x) * (v - c.y) - (a.y - c.y) * (u - c.x)
            if e0 >= 0.0 and e1 >= 0.0 and e2 >= 0.0:
                z = a.z + zx * (u - a.x) + zy * (v - a.y)
                if z > row[x]:
                    row[x] = <float> z
