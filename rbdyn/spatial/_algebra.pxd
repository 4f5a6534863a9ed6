# Spatial algebra by value, angular part first.
#
# Source: R. Featherstone, Rigid Body Dynamics Algorithms (RBDA, 2008), chapter 2 and
# appendix A.  Motion and Force are two C types on purpose: a wrench added to a twist does
# not compile.  X_ba takes a-coordinates to b-coordinates.
#
# Every function is branch-free over `real`, so that it compiles unchanged for one state and
# for 4 or 8 states at once (real.h).

cdef extern from "real.h" nogil:
    ctypedef double real
    real splat(double x)
    void sincos_r(real x, real* sine, real* cosine)
    real sqrt_r(real x)
    real max_r(real a, real b)
    real min_r(real a, real b)
    bint all_above(real a, real b)
    ctypedef void outlined "RBDYN_OUTLINED void"     # of a function that the compiler may not inline

cdef struct Vec3:
    real x, y, z

cdef struct Mat3:            # row-major
    real xx, xy, xz
    real yx, yy, yz
    real zx, zy, zz

cdef struct Sym3:            # symmetric 3x3
    real xx, xy, xz, yy, yz, zz

cdef struct Motion:          # twist, or its derivative
    Vec3 w                   # [rad/s]
    Vec3 v                   # [m/s], at the origin of the frame

cdef struct Force:           # wrench, or momentum
    Vec3 n                   # [N m], about the origin of the frame
    Vec3 f                   # [N]

cdef struct Xform:           # Pluecker transform X_ba, RBDA eq. 2.24
    Mat3 E                   # a-coordinates to b-coordinates
    Vec3 r                   # [m] origin of b, in a-coordinates

cdef struct Inertia:         # rigid-body inertia about the origin of its frame, RBDA eq. 2.63
    real m                   # [kg]
    Vec3 h                   # [kg m] mass times centre of mass
    Sym3 I_o                 # [kg m^2] about the frame's origin

cdef struct ArticulatedInertia:   # symmetric 6x6: [I_a H; H^T M]
    Sym3 I_a
    Mat3 H
    Sym3 M


# ---- vectors -----------------------------------------------------------------------------

cdef inline Vec3 vec3(real x, real y, real z) noexcept nogil:
    cdef Vec3 a
    a.x = x
    a.y = y
    a.z = z
    return a

cdef inline Vec3 zero3() noexcept nogil:
    return vec3(splat(0.0), splat(0.0), splat(0.0))

cdef inline Vec3 add3(Vec3 a, Vec3 b) noexcept nogil:
    return vec3(a.x + b.x, a.y + b.y, a.z + b.z)

cdef inline Vec3 sub3(Vec3 a, Vec3 b) noexcept nogil:
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z)

cdef inline Vec3 neg3(Vec3 a) noexcept nogil:
    return vec3(-a.x, -a.y, -a.z)

cdef inline Vec3 scale3(real s, Vec3 a) noexcept nogil:
    return vec3(s * a.x, s * a.y, s * a.z)

cdef inline real dot3(Vec3 a, Vec3 b) noexcept nogil:
    return a.x * b.x + a.y * b.y + a.z * b.z

cdef inline Vec3 cross3(Vec3 a, Vec3 b) noexcept nogil:
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


# ---- matrices ----------------------------------------------------------------------------

cdef inline Mat3 eye3() noexcept nogil:
    cdef Mat3 A
    A.xx = splat(1.0)
    A.xy = splat(0.0)
    A.xz = splat(0.0)
    A.yx = splat(0.0)
    A.yy = splat(1.0)
    A.yz = splat(0.0)
    A.zx = splat(0.0)
    A.zy = splat(0.0)
    A.zz = splat(1.0)
    return A

cdef inline Mat3 rows3(Vec3 a, Vec3 b, Vec3 c) noexcept nogil:
    """The matrix whose rows are a, b, c."""
    cdef Mat3 A
    A.xx = a.x
    A.xy = a.y
    A.xz = a.z
    A.yx = b.x
    A.yy = b.y
    A.yz = b.z
    A.zx = c.x
    A.zy = c.y
    A.zz = c.z
    return A

cdef inline Vec3 row_x(Mat3 A) noexcept nogil:
    return vec3(A.xx, A.xy, A.xz)

cdef inline Vec3 row_y(Mat3 A) noexcept nogil:
    return vec3(A.yx, A.yy, A.yz)

cdef inline Vec3 row_z(Mat3 A) noexcept nogil:
    return vec3(A.zx, A.zy, A.zz)

cdef inline Vec3 mul3(Mat3 A, Vec3 b) noexcept nogil:
    """A b."""
    return vec3(A.xx * b.x + A.xy * b.y + A.xz * b.z,
                A.yx * b.x + A.yy * b.y + A.yz * b.z,
                A.zx * b.x + A.zy * b.y + A.zz * b.z)

cdef inline Vec3 tmul3(Mat3 A, Vec3 b) noexcept nogil:
    """A^T b."""
    return vec3(A.xx * b.x + A.yx * b.y + A.zx * b.z,
                A.xy * b.x + A.yy * b.y + A.zy * b.z,
                A.xz * b.x + A.yz * b.y + A.zz * b.z)

cdef inline Mat3 transpose3(Mat3 A) noexcept nogil:
    return rows3(vec3(A.xx, A.yx, A.zx), vec3(A.xy, A.yy, A.zy), vec3(A.xz, A.yz, A.zz))

cdef inline Mat3 matmul3(Mat3 A, Mat3 B) noexcept nogil:
    """A B."""
    return rows3(tmul3(B, row_x(A)), tmul3(B, row_y(A)), tmul3(B, row_z(A)))

cdef inline Mat3 add33(Mat3 A, Mat3 B) noexcept nogil:
    return rows3(add3(row_x(A), row_x(B)), add3(row_y(A), row_y(B)), add3(row_z(A), row_z(B)))

cdef inline Mat3 sub33(Mat3 A, Mat3 B) noexcept nogil:
    return rows3(sub3(row_x(A), row_x(B)), sub3(row_y(A), row_y(B)), sub3(row_z(A), row_z(B)))

cdef inline Mat3 crossmul3(Vec3 r, Mat3 A) noexcept nogil:
    """rx A: the cross product of r with each column of A."""
    return rows3(sub3(scale3(r.y, row_z(A)), scale3(r.z, row_y(A))),
                 sub3(scale3(r.z, row_x(A)), scale3(r.x, row_z(A))),
                 sub3(scale3(r.x, row_y(A)), scale3(r.y, row_x(A))))

cdef inline Sym3 sym3(real xx, real xy, real xz, real yy, real yz, real zz) noexcept nogil:
    cdef Sym3 A
    A.xx = xx
    A.xy = xy
    A.xz = xz
    A.yy = yy
    A.yz = yz
    A.zz = zz
    return A

cdef inline Sym3 add_s(Sym3 A, Sym3 B) noexcept nogil:
    return sym3(A.xx + B.xx, A.xy + B.xy, A.xz + B.xz, A.yy + B.yy, A.yz + B.yz, A.zz + B.zz)

cdef inline Sym3 sub_s(Sym3 A, Sym3 B) noexcept nogil:
    return sym3(A.xx - B.xx, A.xy - B.xy, A.xz - B.xz, A.yy - B.yy, A.yz - B.yz, A.zz - B.zz)

cdef inline Mat3 full3(Sym3 A) noexcept nogil:
    return rows3(vec3(A.xx, A.xy, A.xz), vec3(A.xy, A.yy, A.yz), vec3(A.xz, A.yz, A.zz))

cdef inline Vec3 smul3(Sym3 A, Vec3 b) noexcept nogil:
    """A b, A symmetric."""
    return vec3(A.xx * b.x + A.xy * b.y + A.xz * b.z,
                A.xy * b.x + A.yy * b.y + A.yz * b.z,
                A.xz * b.x + A.yz * b.y + A.zz * b.z)

cdef inline Sym3 outer_s(real s, Vec3 a) noexcept nogil:
    """s a a^T."""
    cdef Vec3 b = scale3(s, a)
    return sym3(b.x * a.x, b.x * a.y, b.x * a.z, b.y * a.y, b.y * a.z, b.z * a.z)

cdef inline Mat3 outer3(Vec3 a, Vec3 b) noexcept nogil:
    """a b^T."""
    return rows3(scale3(a.x, b), scale3(a.y, b), scale3(a.z, b))

cdef inline Sym3 rotate_s(Mat3 E, Sym3 A) noexcept nogil:
    """E^T A E: a symmetric tensor from b-coordinates to a-coordinates."""
    cdef Mat3 AE = rows3(tmul3(E, vec3(A.xx, A.xy, A.xz)),
                         tmul3(E, vec3(A.xy, A.yy, A.yz)),
                         tmul3(E, vec3(A.xz, A.yz, A.zz)))
    return sym3(E.xx * AE.xx + E.yx * AE.yx + E.zx * AE.zx,
                E.xx * AE.xy + E.yx * AE.yy + E.zx * AE.zy,
                E.xx * AE.xz + E.yx * AE.yz + E.zx * AE.zz,
                E.xy * AE.xy + E.yy * AE.yy + E.zy * AE.zy,
                E.xy * AE.xz + E.yy * AE.yz + E.zy * AE.zz,
                E.xz * AE.xz + E.yz * AE.yz + E.zz * AE.zz)

cdef inline Mat3 rotate33(Mat3 E, Mat3 A) noexcept nogil:
    """E^T A E."""
    return matmul3(transpose3(E), matmul3(A, E))


# ---- motion and force vectors ------------------------------------------------------------

cdef inline Motion motion(Vec3 w, Vec3 v) noexcept nogil:
    cdef Motion m
    m.w = w
    m.v = v
    return m

cdef inline Force force(Vec3 n, Vec3 f) noexcept nogil:
    cdef Force a
    a.n = n
    a.f = f
    return a

cdef inline Motion zero_m() noexcept nogil:
    return motion(zero3(), zero3())

cdef inline Force zero_f() noexcept nogil:
    return force(zero3(), zero3())

cdef inline Motion add_m(Motion a, Motion b) noexcept nogil:
    return motion(add3(a.w, b.w), add3(a.v, b.v))

cdef inline Motion sub_m(Motion a, Motion b) noexcept nogil:
    return motion(sub3(a.w, b.w), sub3(a.v, b.v))

cdef inline Motion scale_m(real s, Motion a) noexcept nogil:
    return motion(scale3(s, a.w), scale3(s, a.v))

cdef inline Force add_f(Force a, Force b) noexcept nogil:
    return force(add3(a.n, b.n), add3(a.f, b.f))

cdef inline Force sub_f(Force a, Force b) noexcept nogil:
    return force(sub3(a.n, b.n), sub3(a.f, b.f))

cdef inline Force scale_f(real s, Force a) noexcept nogil:
    return force(scale3(s, a.n), scale3(s, a.f))

cdef inline real power(Motion a, Force b) noexcept nogil:
    """a . b: the power of a force on a motion."""
    return dot3(a.w, b.n) + dot3(a.v, b.f)

cdef inline Motion crm(Motion a, Motion b) noexcept nogil:
    """a x b: rate of the motion vector b carried by a.  RBDA eq. 2.31."""
    return motion(cross3(a.w, b.w), add3(cross3(a.w, b.v), cross3(a.v, b.w)))

cdef inline Force crf(Motion a, Force b) noexcept nogil:
    """a x* b: rate of the force vector b carried by a.  RBDA eq. 2.32."""
    return force(add3(cross3(a.w, b.n), cross3(a.v, b.f)), cross3(a.w, b.f))


# ---- transforms --------------------------------------------------------------------------

cdef inline Xform xform(Mat3 E, Vec3 r) noexcept nogil:
    cdef Xform X
    X.E = E
    X.r = r
    return X

cdef inline Motion apply_m(Xform X, Motion a) noexcept nogil:
    """X_ba a: a motion from a- to b-coordinates.  RBDA table A.4."""
    return motion(mul3(X.E, a.w), mul3(X.E, sub3(a.v, cross3(X.r, a.w))))

cdef inline Motion unapply_m(Xform X, Motion b) noexcept nogil:
    """X_ba^-1 b: a motion from b- to a-coordinates."""
    cdef Vec3 w = tmul3(X.E, b.w)
    return motion(w, add3(tmul3(X.E, b.v), cross3(X.r, w)))

cdef inline Force apply_t(Xform X, Force b) noexcept nogil:
    """X_ba^T b: a force from b- to a-coordinates.  RBDA table A.4."""
    cdef Vec3 f = tmul3(X.E, b.f)
    return force(add3(tmul3(X.E, b.n), cross3(X.r, f)), f)

cdef inline Force apply_f(Xform X, Force a) noexcept nogil:
    """X_ba^* a: a force from a- to b-coordinates."""
    return force(mul3(X.E, sub3(a.n, cross3(X.r, a.f))), mul3(X.E, a.f))

cdef inline Xform compose(Xform X_cb, Xform X_ba) noexcept nogil:
    """X_cb X_ba = X_ca."""
    return xform(matmul3(X_cb.E, X_ba.E), add3(X_ba.r, tmul3(X_ba.E, X_cb.r)))


# ---- inertias ----------------------------------------------------------------------------

cdef inline Force mul_i(Inertia A, Motion v) noexcept nogil:
    """I v.  RBDA table A.4."""
    return force(add3(smul3(A.I_o, v.w), cross3(A.h, v.v)),
                 sub3(scale3(A.m, v.v), cross3(A.h, v.w)))

cdef inline Force net_force(Inertia A, Motion v, Motion a) noexcept nogil:
    """I a + v x* I v, RBDA eq. 2.75, by way of the origin's classical acceleration b = a + w x v.

    f = m b + alpha x h + w x (w x h) and n = I_o alpha + w x I_o w + h x b, which takes a sixth fewer products.
    """
    cdef Vec3 b = add3(a.v, cross3(v.w, v.v))
    return force(add3(add3(smul3(A.I_o, a.w), cross3(v.w, smul3(A.I_o, v.w))), cross3(A.h, b)),
                 add3(add3(scale3(A.m, b), cross3(a.w, A.h)), cross3(v.w, cross3(v.w, A.h))))

cdef inline Inertia add_i(Inertia A, Inertia B) noexcept nogil:
    cdef Inertia C
    C.m = A.m + B.m
    C.h = add3(A.h, B.h)
    C.I_o = add_s(A.I_o, B.I_o)
    return C

cdef inline Sym3 shift_s(Vec3 r, Vec3 h) noexcept nogil:
    """-(rx hx + hx rx) = 2 (r.h) 1 - r h^T - h r^T, the first-order parallel-axis term."""
    cdef real d = r.x * h.x + r.y * h.y + r.z * h.z
    return sym3(2.0 * (d - r.x * h.x), -(r.x * h.y + r.y * h.x), -(r.x * h.z + r.z * h.x),
                2.0 * (d - r.y * h.y), -(r.y * h.z + r.z * h.y), 2.0 * (d - r.z * h.z))

cdef inline Inertia apply_ti(Xform X, Inertia A) noexcept nogil:
    """X_ba^T I X_ba: a rigid-body inertia from b- to a-coordinates.  RBDA table A.4."""
    cdef Inertia C
    cdef Vec3 h = tmul3(X.E, A.h)
    # I' = E^T I E - (rx hx + hx rx) - m rx rx, both shifts in one with h + m r / 2
    C.m = A.m
    C.h = add3(h, scale3(A.m, X.r))
    C.I_o = add_s(rotate_s(X.E, A.I_o), shift_s(X.r, add3(h, scale3(0.5 * A.m, X.r))))
    return C

cdef inline ArticulatedInertia articulated(Inertia A) noexcept nogil:
    """The 6x6 form of a rigid-body inertia: H = hx, M = m 1."""
    cdef ArticulatedInertia C
    cdef real o = splat(0.0)
    C.I_a = A.I_o
    C.H = rows3(vec3(o, -A.h.z, A.h.y), vec3(A.h.z, o, -A.h.x), vec3(-A.h.y, A.h.x, o))
    C.M = sym3(A.m, o, o, A.m, o, A.m)
    return C

cdef inline ArticulatedInertia add_a(ArticulatedInertia A, ArticulatedInertia B) noexcept nogil:
    cdef ArticulatedInertia C
    C.I_a = add_s(A.I_a, B.I_a)
    C.H = add33(A.H, B.H)
    C.M = add_s(A.M, B.M)
    return C

cdef inline Force mul_a(ArticulatedInertia A, Motion v) noexcept nogil:
    """I^A v."""
    return force(add3(smul3(A.I_a, v.w), mul3(A.H, v.v)), add3(tmul3(A.H, v.w), smul3(A.M, v.v)))

cdef inline ArticulatedInertia apply_ta(Xform X, ArticulatedInertia A) noexcept nogil:
    """X_ba^T I^A X_ba: an articulated-body inertia from b- to a-coordinates.  RBDA eq. 2.66."""
    cdef ArticulatedInertia C
    cdef Mat3 H1 = rotate33(X.E, A.H)
    cdef Mat3 rH
    cdef Vec3 r = X.r
    C.M = rotate_s(X.E, A.M)
    C.H = add33(H1, crossmul3(r, full3(C.M)))
    # I' = E^T I E + rx H1^T - H' rx; only the upper triangle is formed
    rH = crossmul3(r, transpose3(H1))
    C.I_a = add_s(rotate_s(X.E, A.I_a), sym3(
        rH.xx - (C.H.xy * r.z - C.H.xz * r.y),
        rH.xy - (C.H.xz * r.x - C.H.xx * r.z),
        rH.xz - (C.H.xx * r.y - C.H.xy * r.x),
        rH.yy - (C.H.yz * r.x - C.H.yx * r.z),
        rH.yz - (C.H.yx * r.y - C.H.yy * r.x),
        rH.zz - (C.H.zx * r.y - C.H.zy * r.x)))
    return C

cdef inline ArticulatedInertia apply_ta_z(Xform X, ArticulatedInertia A) noexcept nogil:
    """apply_ta for an inertia that does not resist rotation about z: row and column wz of A are zero.

    That is what is left of I^A above a revolute joint; a third of the products fall away.
    """
    cdef ArticulatedInertia C
    cdef Mat3 E = X.E
    cdef Vec3 ex = row_x(E), ey = row_y(E)
    cdef Vec3 ax = add3(scale3(A.I_a.xx, ex), scale3(A.I_a.xy, ey))     # rows of I_a E
    cdef Vec3 ay = add3(scale3(A.I_a.xy, ex), scale3(A.I_a.yy, ey))
    cdef Vec3 hx = tmul3(E, row_x(A.H))                                 # rows of H E
    cdef Vec3 hy = tmul3(E, row_y(A.H))
    cdef Mat3 H1 = rows3(add3(scale3(E.xx, hx), scale3(E.yx, hy)),
                         add3(scale3(E.xy, hx), scale3(E.yy, hy)),
                         add3(scale3(E.xz, hx), scale3(E.yz, hy)))
    cdef Mat3 rH
    cdef Vec3 r = X.r
    C.M = rotate_s(E, A.M)
    C.H = add33(H1, crossmul3(r, full3(C.M)))
    rH = crossmul3(r, transpose3(H1))
    C.I_a = sym3(
        E.xx * ax.x + E.yx * ay.x + rH.xx - (C.H.xy * r.z - C.H.xz * r.y),
        E.xx * ax.y + E.yx * ay.y + rH.xy - (C.H.xz * r.x - C.H.xx * r.z),
        E.xx * ax.z + E.yx * ay.z + rH.xz - (C.H.xx * r.y - C.H.xy * r.x),
        E.xy * ax.y + E.yy * ay.y + rH.yy - (C.H.yz * r.x - C.H.yx * r.z),
        E.xy * ax.z + E.yy * ay.z + rH.yz - (C.H.yx * r.y - C.H.yy * r.x),
        E.xz * ax.z + E.yz * ay.z + rH.zz - (C.H.zx * r.y - C.H.zy * r.x))
    return C
