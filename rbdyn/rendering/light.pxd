# How what is seen is lit: by a far lamp, whose light may be shut off, and by the sky; and how colours become bytes.

from libc.math cimport fabs, sqrt

from rbdyn.rendering.rounds cimport normal_at
from rbdyn.rendering.scene cimport PLANE, Corner, Facet, Lens, Round, Thing, at, ray
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, dot3, mul3, scale3, sub3, tmul3, vec3

cdef enum:
    SHADES = 4096             # steps of a colour's table

cdef struct Shadow:           # what the lamp sees, from far away
    bint acts
    int n                     # pixels a side
    const float* height       # (n, n) towards the lamp, of what is nearest to it [m]
    Mat3 to_lamp              # world axes to the lamp's: z towards it
    Vec3 center               # of what it lights, world [m]
    double pixel, per_pixel   # [m], and its inverse

cdef struct Lamp:
    Vec3 toward               # unit, from things to it, world axes
    double share              # of the light that comes from it, when nothing is in its way
    double sky, turned        # of the sky: of what stands upright, and what is added where it looks up
    float[3] zenith, horizon  # colours of the sky, linear
    float[3] check            # by which every other square of a plane is multiplied
    double per_square         # of these, 1 / sides [1/m]; 0: none
    bint smooth
    Shadow shadow

cdef struct Eye:              # the camera
    Lens lens
    Mat3 R                    # camera axes to world axes
    Vec3 p                    # world [m]

cdef inline double lit(const Shadow* s, Vec3 x, Vec3 n) noexcept nogil:
    """Share of the lamp's light that reaches a point, 0 to 1: of nine places around it."""
    cdef Vec3 y
    cdef double u, v, highest
    cdef int i, got = 0
    cdef const float* near
    if not s.acts:
        return 1.0
    y = mul3(s.to_lamp, sub3(add3(x, scale3(2.0 * s.pixel, n)), s.center))
    u, v, highest = y.x * s.per_pixel + 0.5 * s.n, y.y * s.per_pixel + 0.5 * s.n, y.z + 2.0 * s.pixel
    if not (1.5 < u < s.n - 1.5 and 1.5 < v < s.n - 1.5):
        return 1.0
    near = s.height + <size_t> (<int> v - 1) * s.n + <int> u - 1     # of nine places, the first
    got = (near[0] <= highest) + (near[2] <= highest) + (near[2 * s.n] <= highest) + (near[2 * s.n + 2] <= highest)
    if got == 0 or got == 4:                         # most places are all light or all shade
        return 0.25 * got
    for i in range(3):
        got += near[i * s.n + 1] <= highest
    return (got + (near[s.n] <= highest) + (near[s.n + 2] <= highest)) / 9.0

cdef inline double wave(double x) noexcept nogil:
    """Integral from 0 of what is 1 and -1 on intervals of length 1 in turn: an even function of period 2."""
    cdef double y = fabs(x)
    return 1.0 - fabs(y - 2.0 * <double> <long long> (0.5 * y) - 1.0)

cdef inline double checks(const Round* f, const Lens* lens, Vec3 x, Vec3 d, double depth, double s,
                          double step) noexcept nogil:
    """From -1 to 1: which squares of sides 1 / s a pixel of `step` shows; what is smaller than it is averaged."""
    cdef double a = -depth * f.nearness.a, b = -depth * f.nearness.b, k = step * depth * s
    cdef double wx = k * (fabs(f.to_own.xx * lens.ix + a * d.x) + fabs(f.to_own.xy * lens.iy + b * d.x))
    cdef double wy = k * (fabs(f.to_own.yx * lens.ix + a * d.y) + fabs(f.to_own.yy * lens.iy + b * d.y))
    cdef double u = fabs(x.x * s), v = fabs(x.y * s), p, q
    cdef long long i, j
    if not (wx < 16.0 and wy < 16.0 and u < 1e15 and v < 1e15):
        return 0.0
    i, j = <long long> u, <long long> v
    p, q = fabs(u - <double> i - 0.5) + 0.5 * wx, fabs(v - <double> j - 0.5) + 0.5 * wy
    if p < 0.5 and q < 0.5:                          # all of one square
        return -1.0 if ((i ^ j) & 1) ^ (x.x < 0.0) ^ (x.y < 0.0) else 1.0
    wx, wy, u, v = wx + 1e-6, wy + 1e-6, x.x * s, x.y * s
    p, q = wave(u + 0.5 * wx) - wave(u - 0.5 * wx), wave(v + 0.5 * wy) - wave(v - 0.5 * wy)
    return p * q / (wx * wy)

cdef inline unsigned char as_byte(const unsigned char* table, double x) noexcept nogil:
    """A linear share of light as the screen wants it; what is no number is dark."""
    if not x > 0.0:
        return table[0]
    return table[<int> (x * (SHADES - 1) + 0.5)] if x < 1.0 else table[SHADES - 1]

cdef inline double positive(double x) noexcept nogil:
    return x if x > 0.0 else 0.0

cdef inline void write(unsigned char* out, const unsigned char* table, const float* color, double light) noexcept nogil:
    out[0] = as_byte(table, color[0] * light)
    out[1] = as_byte(table, color[1] * light)
    out[2] = as_byte(table, color[2] * light)

cdef inline void paint_sky(const Eye* eye, const Lamp* lamp, const unsigned char* table, double u, double v,
                           unsigned char* out) noexcept nogil:
    """What is behind everything: from the horizon's colour to the zenith's."""
    cdef Vec3 d = mul3(eye.R, ray(&eye.lens, u, v))
    cdef double s = positive(d.z) / sqrt(dot3(d, d))
    cdef int k
    s = s * (2.0 - s)
    for k in range(3):
        out[k] = as_byte(table, lamp.horizon[k] + s * (lamp.zenith[k] - lamp.horizon[k]))

cdef inline void paint_facet(const Eye* eye, const Lamp* lamp, const unsigned char* table, const Facet* f,
                             const Corner* corner, const Thing* thing, double u, double v, double depth,
                             unsigned char* out) noexcept nogil:
    """A pixel of a triangle."""
    cdef double e0, e1, e2, s, toward = 0.0, up = 0.0, shade = 1.0
    cdef const Corner* a
    cdef const Corner* b
    cdef const Corner* c
    cdef Vec3 n
    if lamp.smooth:
        e0, e1, e2 = at(&f.edge[0], u, v), at(&f.edge[1], u, v), at(&f.edge[2], u, v)
        s = 1.0 / (e0 + e1 + e2)
        if f.back:
            s = -s
        a, b, c = corner + f.corner[0], corner + f.corner[1], corner + f.corner[2]
        toward = s * (e0 * a.toward + e1 * b.toward + e2 * c.toward)
        up = s * (e0 * a.up + e1 * b.up + e2 * c.up)
    if not lamp.smooth or (lamp.shadow.acts and toward > 0.0):
        n = flat_normal(eye, f)
        if not lamp.smooth:
            toward, up = dot3(n, lamp.toward), n.z
        if lamp.shadow.acts and toward > 0.0:
            shade = lit(&lamp.shadow, add3(eye.p, scale3(depth, mul3(eye.R, ray(&eye.lens, u, v)))), n)
    write(out, table, thing.color, lamp.sky + lamp.turned * up + lamp.share * shade * positive(toward))

cdef inline Vec3 flat_normal(const Eye* eye, const Facet* f) noexcept nogil:
    """Unit normal of a triangle on the side that is seen, world axes."""
    cdef const Lens* lens = &eye.lens
    cdef Vec3 m = vec3(f.nearness.a * lens.fx, f.nearness.b * lens.fy,
                       f.nearness.c + f.nearness.a * lens.cx + f.nearness.b * lens.cy)
    return mul3(eye.R, scale3(-1.0 / sqrt(dot3(m, m)), m))

cdef inline void paint_round(const Eye* eye, const Lamp* lamp, const unsigned char* table, const Round* f,
                             const Thing* thing, double u, double v, double depth, unsigned char* out) noexcept nogil:
    """A pixel of a round thing."""
    cdef Vec3 d = ray(&eye.lens, u, v), n
    cdef double toward, shade = 1.0
    n = normal_at(thing.kind, thing.size, add3(f.eye, scale3(depth, mul3(f.to_own, d))))
    n = mul3(thing.R_world, scale3(1.0 / sqrt(dot3(n, n)), n))
    toward = dot3(n, lamp.toward)
    if lamp.shadow.acts and toward > 0.0:
        shade = lit(&lamp.shadow, add3(eye.p, scale3(depth, mul3(eye.R, d))), n)
    write(out, table, thing.color, lamp.sky + lamp.turned * n.z + lamp.share * shade * positive(toward))

cdef inline void paint_plane(const Eye* eye, const Lamp* lamp, const unsigned char* table, const Round* f,
                             const Thing* thing, double u, double v, double depth, double step,
                             unsigned char* out) noexcept nogil:
    """A pixel of a plane: squares, which fade towards the horizon."""
    cdef Vec3 d = ray(&eye.lens, u, v), own = mul3(f.to_own, d), n
    cdef double toward, light, shade = 1.0, mix = 0.0, far, fade
    cdef float[3] color
    cdef int k
    n = vec3(thing.R_world.xz, thing.R_world.yz, thing.R_world.zz)
    toward = dot3(n, lamp.toward)
    if lamp.per_square > 0.0:
        mix = 0.5 - 0.5 * checks(f, &eye.lens, add3(f.eye, scale3(depth, own)), own, depth,
                                 lamp.per_square, step)
    if lamp.shadow.acts and toward > 0.0:
        shade = lit(&lamp.shadow, add3(eye.p, scale3(depth, mul3(eye.R, d))), n)
    light = lamp.sky + lamp.turned * n.z + lamp.share * shade * positive(toward)
    far = depth * depth * dot3(d, d) * f.fading
    fade = 1.0 / ((1.0 + far) * (1.0 + far))
    for k in range(3):
        color[k] = <float> (thing.color[k] * (1.0 + mix * (lamp.check[k] - 1.0)))
        color[k] = <float> (lamp.horizon[k] + fade * (light * color[k] - lamp.horizon[k]))
    write(out, table, color, 1.0)
