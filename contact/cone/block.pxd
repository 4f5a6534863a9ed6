# The 3x3 diagonal block of one contact: what a visit needs of G_ii, computed once a step.
# Axes x, y, z are t1, t2, normal.

from libc.math cimport fabs, sqrt

from rbdyn.spatial._algebra cimport Sym3, Vec3, smul3, sym3, vec3

cdef enum Kind:
    GENERAL
    ISOTROPIC                # x = y = b = 0, a = d: balls; both laws have a closed form
    FRICTIONLESS             # mu = 0, or a block that is not positive definite
    SKIPPED                  # no normal mobility: the contact gets no impulse

cdef struct Cone:
    Sym3 G                   # G_ii + rho 1 [1/kg]
    Sym3 inverse             # its inverse [kg]
    double mu                # friction coefficient, at most 1e12
    double gx, gy            # mu G_tn [1/kg]
    double rho               # proximal term [1/kg], 0 unless G_ii is nearly singular
    bint dependent           # v_n = w . v_t whatever the impulses: see look_for_wedge
    bint blocked             # and friction can take what moves it: another v_n is out of reach
    double reach             # share of the target velocity that is asked for
    double compliance        # [1/kg]: the law holds for v + compliance lam; 0: hard
    double wx, wy
    Kind kind


cdef inline double determinant(Sym3 G) noexcept nogil:
    return (G.xx * (G.yy * G.zz - G.yz * G.yz) - G.xy * (G.xy * G.zz - G.yz * G.xz)
            + G.xz * (G.xy * G.yz - G.yy * G.xz))


cdef inline Sym3 inverse(Sym3 G, double det) noexcept nogil:
    """G^-1 by cofactors."""
    cdef double r = 1.0 / det
    return sym3((G.yy * G.zz - G.yz * G.yz) * r, (G.xz * G.yz - G.xy * G.zz) * r, (G.xy * G.yz - G.yy * G.xz) * r,
                (G.xx * G.zz - G.xz * G.xz) * r, (G.xy * G.xz - G.xx * G.yz) * r,
                (G.xx * G.yy - G.xy * G.xy) * r)


cdef inline bint is_isotropic(Sym3 G) noexcept nogil:
    """G = diag(gamma, gamma, z) up to the rounding of its assembly."""
    cdef double small = 1e-14 * (G.xx + G.yy + G.zz)
    return fabs(G.xy) <= small and fabs(G.xz) <= small and fabs(G.yz) <= small and fabs(G.xx - G.yy) <= small


cdef inline void look_for_wedge(Cone* B, Sym3 G) noexcept nogil:
    """Whether the normal velocity has little freedom of its own, and what follows.

    Bodies two joints apart have G of rank 2: however they move, v = (v_t, w . v_t) with w = G_tt^-1 G_tn (rank 1: its
    pseudo-inverse), and an impulse along (-w, 1) moves nothing.  A chain near a singularity has a little mobility
    s = G_nn - w . G_tn beside.  Contacts of such a pair may contradict one another, and then their impulses would grow
    at every visit: with s below 1e-5 of the trace they are `dependent`.  Where friction takes half of the normal
    mobility or more, |w| < 2 mu, to reach a target T takes the energy T^2 / (2 s): `reach` is the share of the target
    that takes no more than it would with s = trace / 30.
    """
    cdef double trace = G.xx + G.yy + G.zz
    cdef double small = 1e-5 * trace
    cdef double half = 0.5 * (G.xx - G.yy)
    cdef double most = 0.5 * (G.xx + G.yy) + sqrt(half * half + G.xy * G.xy)     # the larger eigenvalue of G_tt
    cdef double det = G.xx * G.yy - G.xy * G.xy
    cdef double s
    if det > small * most:
        B.wx = (G.yy * G.xz - G.xy * G.yz) / det
        B.wy = (G.xx * G.yz - G.xy * G.xz) / det
    elif most > small:                                 # G_tt = most e e^T: its pseudo-inverse is G_tt / most^2
        B.wx = (G.xx * G.xz + G.xy * G.yz) / (most * most)
        B.wy = (G.xy * G.xz + G.yy * G.yz) / (most * most)
    s = G.zz - (B.wx * G.xz + B.wy * G.yz)
    B.dependent = s <= small
    if B.wx * B.wx + B.wy * B.wy < 4.0 * B.mu * B.mu:
        B.blocked = s <= 1e-12 * trace
        B.reach = sqrt(min(1.0, max(0.0, s) * 30.0 / trace)) if not B.blocked else 0.0


cdef inline void regularise(Cone* B, double rho) noexcept nogil:
    """Add rho to the diagonal of a block with normal mobility, instead of what was added before; invert it."""
    cdef double more = rho - B.rho, det
    B.rho = rho
    B.G = sym3(B.G.xx + more, B.G.xy, B.G.xz, B.G.yy + more, B.G.yz, B.G.zz + more)
    B.kind = FRICTIONLESS
    if B.mu > 0.0:
        det = determinant(B.G)
        if det > 0.0 and B.G.xx > 0.0 and B.G.zz > 0.0 and B.G.xx * B.G.yy > B.G.xy * B.G.xy:
            B.inverse = inverse(B.G, det)
            B.kind = ISOTROPIC if is_isotropic(B.G) else GENERAL


cdef inline void make_compliant(Cone* B, double compliance) noexcept nogil:
    """Let the law hold for v + compliance lam [1/kg], and no longer for v."""
    if B.kind != SKIPPED:
        regularise(B, max(compliance, B.rho))
        B.compliance = compliance


cdef inline double mobility(const Cone* B) noexcept nogil:
    """The mean diagonal of G_ii [1/kg]."""
    return (B.G.xx + B.G.yy + B.G.zz) / 3.0 - B.rho


cdef inline void make_cone(Cone* B, Sym3 G, double mu) noexcept nogil:
    """Write the constants of one contact.

    A block with det < 1e-9 (trace / 3)^3 (a leg with two joints, an arm at a singularity) gets a proximal term
    rho = 1e-3 trace / 3, a dependent one (look_for_wedge) 1e-2 trace / 3: the visit solves with G + rho 1 and
    c - rho lam_old, which has the same fixed point.
    Without normal mobility (G_nn below 1e-12 of the largest diagonal entry), or with a trace outside
    1e-30 ... 1e30 / kg, there is nothing to solve.
    """
    cdef double trace = G.xx + G.yy + G.zz, rho = 0.0
    cdef double det = determinant(G)
    cdef bint singular
    B.rho = B.compliance = B.wx = B.wy = 0.0
    B.dependent = B.blocked = False
    B.reach = 1.0
    B.mu = min(mu, 1e12) if mu > 0.0 else 0.0          # NaN and negative values count as no friction
    B.G = G
    B.inverse = sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    B.kind = SKIPPED
    if 1e-30 < trace < 1e30 and G.zz >= 1e-12 * max(G.xx, G.yy):
        singular = not det > 1e-9 * (trace * trace * trace / 27.0)
        if B.mu > 0.0 and (singular or det < trace / 30.0 * (G.xx * G.yy - G.xy * G.xy)):
            look_for_wedge(B, G)
            if singular or B.dependent:
                rho = (1e-2 if B.dependent else 1e-3) * trace / 3.0
        regularise(B, rho)
    B.gx = B.mu * B.G.xz
    B.gy = B.mu * B.G.yz


cdef inline double largest_tangential(const Cone* B) noexcept nogil:
    """Largest eigenvalue of G_tt [1/kg]."""
    cdef double half = 0.5 * (B.G.xx - B.G.yy)
    return 0.5 * (B.G.xx + B.G.yy) + sqrt(half * half + B.G.xy * B.G.xy)


cdef inline Vec3 apply_block(const Cone* B, Vec3 lam) noexcept nogil:
    """(G_ii + rho 1) lam [m/s]."""
    return smul3(B.G, lam)


cdef inline Vec3 possible(const Cone* B, Vec3 v) noexcept nogil:
    """The velocity of a blocked contact that has the tangential part of v [m/s]."""
    return vec3(v.x, v.y, B.wx * v.x + B.wy * v.y)
