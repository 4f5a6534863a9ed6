# Cones: contacts with friction, three rows each.  The problem of one of them is cone/local.pxd.

from libc.math cimport INFINITY, fabs, sqrt

from rbdyn.contact.cone.block cimport FRICTIONLESS, GENERAL, Cone, apply_block
from rbdyn.contact.cone.local cimport (
    FAILED, OPEN, SLIDE, STICK, FrictionLaw, Method, Mode, local_impulse, sticks,
)
from rbdyn.contact.operator cimport (
    Contact, Operator, Side, add_impulse, contact_velocity, impulse_at, set_impulse,
)
from rbdyn.spatial._algebra cimport (
    Mat3, Vec3, add3, dot3, eye3, neg3, row_z, rows3, scale3, smul3, sub3, vec3, zero3,
)


cdef inline void prepare(Operator* G, Contact* k) noexcept nogil:
    """Nothing beyond what the operator keeps of G_ii (cone/block.pxd)."""
    pass


cdef inline bint is_of_singles(const Contact* k) noexcept nogil:
    """Whether single bodies alone are in contact."""
    return k.row == k.row_end


cdef inline bint has_normal_alone(const Contact* k, Vec3 old, double alpha) noexcept nogil:
    """Whether a visit is one of two single bodies without friction, as poses are corrected by."""
    return (k.block.kind == FRICTIONLESS and is_of_singles(k) and k.block.compliance == 0.0 and alpha == 1.0
            and old.x == 0.0 and old.y == 0.0)


cdef inline double normal_velocity(const Operator* G, const Contact* k) noexcept nogil:
    """The third of contact_velocity, to the bit, of single bodies."""
    cdef double v = k.v_free.z
    cdef Vec3 dv
    if k.a.body >= 0:
        dv = G.body[k.a.body].v
        v += dot3(row_z(k.a.L), G.body[k.a.body].w)
        if k.b.body >= 0:
            dv = sub3(dv, G.body[k.b.body].v)
            v -= dot3(row_z(k.b.L), G.body[k.b.body].w)
        return v + dot3(row_z(k.R), dv)
    if k.b.body >= 0:
        v -= dot3(row_z(k.b.L), G.body[k.b.body].w)
        v -= dot3(row_z(k.R), G.body[k.b.body].v)
    return v


cdef inline void push_normal(Operator* G, const Contact* k, const Side* side, double lam, double sign) noexcept nogil:
    """push_body of an impulse along the normal."""
    if side.body >= 0:
        G.body[side.body].v = add3(G.body[side.body].v, scale3(sign * side.inverse_mass, scale3(lam, row_z(k.R))))
        G.body[side.body].w = add3(G.body[side.body].w,
                                   scale3(sign * lam, vec3(side.H.xz, side.H.yz, side.H.zz)))


cdef inline double visit_normal(Operator* G, int i, double c, double old, double* impulse) noexcept nogil:
    """`visit` of a contact that has no more than its normal, whose velocity is c without the impulse."""
    cdef const Contact* k = &G.contact[i]
    cdef double lam = -c / k.block.G.zz if c < 0.0 else 0.0, delta = lam - old
    G.contact[i].mode = SLIDE if c < 0.0 else OPEN
    if delta == 0.0:
        return 0.0
    impulse[3 * i + 2] = lam
    push_normal(G, k, &k.a, delta, 1.0)
    push_normal(G, k, &k.b, delta, -1.0)
    return max(fabs(k.block.G.xz * delta), fabs(k.block.G.yz * delta), fabs(k.block.G.zz * delta))


cdef inline bint visit_sticking(Operator* G, int i, Vec3 v, Vec3 old, double* impulse) noexcept nogil:
    """`visit` of a contact with velocity v, if it sticks: by -G_ii^-1 v, which takes all of v.  Else nothing is done.

    That it does not open is asked first, of the velocity that it has without its impulse, as local_impulse does.
    Not for links of a robot that overlap on all sides: increments let what moves nothing grow, to 1e11 N s.
    """
    cdef const Cone* B = &G.contact[i].block
    cdef Vec3 delta, lam
    if B.kind != GENERAL or not v.z - (B.G.xz * old.x + B.G.yz * old.y + B.G.zz * old.z) < -1e-40:
        return False
    delta = neg3(smul3(B.inverse, v))
    lam = add3(old, delta)
    if not (sticks(B, lam) and fabs(v.x) + fabs(v.y) + fabs(v.z) < 1e40):
        return False
    G.contact[i].mode = STICK
    set_impulse(impulse, i, lam)
    add_impulse(G, i, delta)
    return True


cdef inline double visit(Operator* G, int i, FrictionLaw law, Method method, double alpha,
                         double* impulse) noexcept nogil:
    """Solve contact i with the others held; returns |G_ii delta|_inf [m/s], infinite if it failed."""
    cdef const Cone* B = &G.contact[i].block
    cdef Vec3 old = impulse_at(impulse, i), v, c, lam, delta
    cdef double n
    cdef Mode mode
    if has_normal_alone(&G.contact[i], old, alpha):
        n = normal_velocity(G, &G.contact[i]) - B.G.zz * old.z
        if 0.0 <= n < 1e40 or 1e-40 < -n < 1e40:
            return visit_normal(G, i, n, old.z, impulse)
    v = contact_velocity(G, i)
    if is_of_singles(&G.contact[i]) and B.compliance == 0.0 and alpha == 1.0 and (
            visit_sticking(G, i, v, old, impulse)):
        return max(fabs(v.x), fabs(v.y), fabs(v.z))
    c = sub3(v, apply_block(B, old))
    if B.compliance > 0.0:
        c = add3(c, scale3(B.compliance, old))
    lam = local_impulse(B, c, old, law, method, &mode)
    if alpha != 1.0:
        lam = add3(old, scale3(alpha, sub3(lam, old)))
    delta = sub3(lam, old)
    G.contact[i].mode = mode
    if mode == FAILED:
        return INFINITY
    if delta.x == 0.0 and delta.y == 0.0 and delta.z == 0.0:
        return 0.0
    set_impulse(impulse, i, lam)
    add_impulse(G, i, delta)
    delta = apply_block(B, delta)
    return max(fabs(delta.x), fabs(delta.y), fabs(delta.z))


cdef inline int held_rows(const Contact* k, Vec3 lam) noexcept nogil:
    """3 of a contact that sticks, 1 of one that slides (its friction stays), 0 of an open one or without freedom."""
    if k.block.dependent:
        return 0
    if k.mode == STICK:
        return 3
    return 1 if lam.z > 0.0 else 0


cdef inline double tangential(Vec3 y) noexcept nogil:
    """|y_t|."""
    return sqrt(y.x * y.x + y.y * y.y)


cdef inline Vec3 project(double mu, Vec3 y) noexcept nogil:
    """The point of the friction cone nearest to y."""
    cdef double t = tangential(y), n, share
    if mu * t <= -y.z:                                 # asked first: without friction t = mu y.z = 0 for a pull, too
        return zero3()
    if t <= mu * y.z:
        return y
    n = (mu * t + y.z) / (1.0 + mu * mu)
    share = mu * n / t if t > 0.0 else 0.0
    return vec3(share * y.x, share * y.y, n)


cdef inline Mat3 derivative(double mu, Vec3 y) noexcept nogil:
    """d project / dy: symmetric, positive semidefinite."""
    cdef double t = tangential(y), share, ux, uy, n = 1.0 / (1.0 + mu * mu), along, across
    if mu * t <= -y.z:
        return rows3(zero3(), zero3(), zero3())
    if t <= mu * y.z:
        return eye3()
    ux, uy = y.x / t, y.y / t
    along, across = mu * mu * n, mu * (mu * t + y.z) * n / t
    share = (along - across) * ux * uy
    return rows3(vec3(along * ux * ux + across * uy * uy, share, mu * n * ux),
                 vec3(share, along * uy * uy + across * ux * ux, mu * n * uy),
                 vec3(mu * n * ux, mu * n * uy, n))


cdef inline Vec3 project_within_rim(double mu, Vec3 y) noexcept nogil:
    """The push y_n that is no pull, and the friction nearest to y_t that it allows (Alart and Curnier 1991)."""
    cdef double t = tangential(y), n = max(0.0, y.z), share = 1.0 if t <= mu * n else mu * n / t
    return vec3(share * y.x, share * y.y, n)


cdef inline Mat3 derivative_within_rim(double mu, Vec3 y) noexcept nogil:
    """d project_within_rim / dy: what slides follows its push, so that it is not symmetric."""
    cdef double t = tangential(y), ux, uy, across
    if not y.z > 0.0:
        return rows3(zero3(), zero3(), zero3())
    if t <= mu * y.z:
        return eye3()
    ux, uy, across = y.x / t, y.y / t, mu * y.z / t
    return rows3(vec3(across * uy * uy, -across * ux * uy, mu * ux),
                 vec3(-across * ux * uy, across * ux * ux, mu * uy), vec3(0.0, 0.0, 1.0))
