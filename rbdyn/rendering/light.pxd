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

cdef inline double checks(double u, double v, double wx, double wy) noexcept nogil:
    """From -1 to 1: which unit squares a box of sides wx, wy about a point shows; what is smaller is averaged."""
    cdef double p, q
    cdef long long i, j
    if not (wx * wy < 16.0 and fabs(u) < 1e15 and fabs(v) < 1e15):   # the mean is below 1 / (wx wy), a shade
        return 0.0
    i, j = <long long> fabs(u), <long long> fabs(v)
    p, q = fabs(fabs(u) - <double> i - 0.5) + 0.5 * wx, fabs(fabs(v) - <double> j - 0.5) + 0.5 * wy
    if p < 0.5 and q < 0.5:                          # all of one square
        return -1.0 if ((i ^ j) & 1) ^ (u < 0.0) ^ (v < 0.0) else 1.0
    wx, wy = wx + 1e-6, wy + 1e-6
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
                             const Corner* corner, const Thing* thing, double u, double v, double nearness,
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
            shade = lit(&lamp.shadow, add3(eye.p, scale3(1.0 / nearness, mul3(eye.R, ray(&eye.lens, u, v)))), n)
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

cdef struct Paint:            # of a plane: what is the same for all of its pixels, times SHADES - 1
    double[3] dim, bright     # squares of one kind, in the lamp's shadow, and what its light adds
    double[3] other           # by which share those of the other kind are brighter
    double[3] horizon

cdef inline Paint paint_of(const Lamp* lamp, const Thing* thing) noexcept nogil:
    """Colours of a plane, none above all light."""
    cdef Paint p
    cdef Vec3 n = vec3(thing.R_world.xz, thing.R_world.yz, thing.R_world.zz)
    cdef double dim = lamp.sky + lamp.turned * n.z, bright = lamp.share * positive(dot3(n, lamp.toward))
    cdef int k
    if dim + bright > 1.0:
        bright = 1.0 - dim
    for k in range(3):
        p.dim[k], p.bright[k] = dim * thing.color[k] * (SHADES - 1), bright * thing.color[k] * (SHADES - 1)
        p.other[k], p.horizon[k] = lamp.check[k] - 1.0, lamp.horizon[k] * (SHADES - 1)
    return p

cdef inline void paint_plane(const Eye* eye, const Lamp* lamp, const unsigned char* table, const Round* f,
                             const Thing* thing, const Paint* p, double u, double v, int count, double step,
                             unsigned char* out) noexcept nogil:
    """Pixels of `step` of a plane, side by side from a place: squares, which fade towards the horizon."""
    cdef const Lens* lens = &eye.lens
    cdef double xx = f.to_own.xx * lens.ix, yx = f.to_own.yx * lens.ix, s = lamp.per_square, row, x0, y0
    cdef double xy = f.to_own.xy * lens.iy, yy = f.to_own.yy * lens.iy, dy = (v - lens.cy) * lens.iy, dx
    cdef double x, y, a, b, k, far, fade, depth, mix = 0.0, shade = 1.0, color
    cdef bint shaded = lamp.shadow.acts and p.bright[0] + p.bright[1] + p.bright[2] > 0.0
    cdef Vec3 n = vec3(thing.R_world.xz, thing.R_world.yz, thing.R_world.zz)
    cdef int c, i
    row = f.nearness.b * v + f.nearness.c
    x0, y0 = f.to_own.xy * dy + f.to_own.xz, f.to_own.yy * dy + f.to_own.yz
    for i in range(count):
        dx = (u + i - lens.cx) * lens.ix
        depth = 1.0 / (row + f.nearness.a * (u + i))
        x, y = x0 + f.to_own.xx * dx, y0 + f.to_own.yx * dx
        far = 1.0 + depth * depth * (dx * dx + dy * dy + 1.0) * f.fading
        fade = 1.0 / (far * far)
        if s > 0.0:
            a, b, k = -depth * f.nearness.a, -depth * f.nearness.b, step * depth * s
            mix = 0.5 - 0.5 * checks((f.eye.x + depth * x) * s, (f.eye.y + depth * y) * s,
                                     k * (fabs(xx + a * x) + fabs(xy + b * x)),
                                     k * (fabs(yx + a * y) + fabs(yy + b * y)))
        if shaded:
            shade = lit(&lamp.shadow, add3(eye.p, scale3(depth, mul3(eye.R, ray(lens, u + i, v)))), n)
        for c in range(3):
            color = (p.dim[c] + shade * p.bright[c]) * (1.0 + mix * p.other[c])
            color = p.horizon[c] + fade * (color - p.horizon[c])
            out[3 * i + c] = (table[<int> (color + 0.5)] if 0.0 < color < SHADES - 1
                              else as_byte(table, color / (SHADES - 1)))
