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
    bint wedged              # and friction can take most of what moves it
    double compliance        # [1/kg]: the law holds for v + compliance lam; 0 unless sweeps do not converge
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
    """Whether the normal velocity has no freedom of its own, and what follows.

    Bodies two joints apart have G of rank 2: however they move, v = (v_t, w . v_t) with w = G_tt^-1 G_tn (rank 1: its
    pseudo-inverse), and an impulse along (-w, 1) moves nothing.  So does a chain near a singularity but for 1e-5 of the
    trace.  Contacts of such a pair may contradict one another, and then their impulses would grow at every visit: they
    are `dependent`, and become compliant (gauss_seidel.pyx) when sweeps do not converge.  Where friction takes half of
    the normal mobility or more, |w| < 2 mu, the bodies are `wedged`: a target v_n other than w . v_t (of position
    correction, of a gap) is out of reach, and dropped.
    """
    cdef double small = 1e-5 * (G.xx + G.yy + G.zz)
    cdef double half = 0.5 * (G.xx - G.yy)
    cdef double most = 0.5 * (G.xx + G.yy) + sqrt(half * half + G.xy * G.xy)     # the larger eigenvalue of G_tt
    cdef double det = G.xx * G.yy - G.xy * G.xy
    if det > small * most:
        B.wx = (G.yy * G.xz - G.xy * G.yz) / det
        B.wy = (G.xx * G.yz - G.xy * G.xz) / det
    elif most > small:                                 # G_tt = most e e^T: its pseudo-inverse is G_tt / most^2
        B.wx = (G.xx * G.xz + G.xy * G.yz) / (most * most)
        B.wy = (G.xy * G.xz + G.yy * G.yz) / (most * most)
    if G.zz - (B.wx * G.xz + B.wy * G.yz) <= small:
        B.dependent = True
        B.wedged = B.wx * B.wx + B.wy * B.wy < 4.0 * B.mu * B.mu


cdef inline Cone make_cone(Sym3 G, double mu) noexcept nogil:
    """The constants of one contact.

    A block with det < 1e-9 (trace / 3)^3 (a leg with two joints, an arm at a singularity) gets a proximal term
    rho = 1e-3 trace / 3, a dependent one (look_for_wedge) 1e-2 trace / 3: the visit solves with G + rho 1 and
    c - rho lam_old, which has the same fixed point.
    Without normal mobility (G_nn below 1e-12 of the largest diagonal entry), or with a trace outside
    1e-30 ... 1e30 / kg, there is nothing to solve.
    """
    cdef Cone B
    cdef double trace = G.xx + G.yy + G.zz
    cdef double det = determinant(G)
    cdef bint singular
    B.rho = B.compliance = B.wx = B.wy = 0.0
    B.dependent = B.wedged = False
    B.mu = min(mu, 1e12) if mu > 0.0 else 0.0          # NaN and negative values count as no friction
    B.G = G
    B.inverse = sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    B.kind = GENERAL
    if not (1e-30 < trace < 1e30 and G.zz >= 1e-12 * max(G.xx, G.yy)):
        B.kind = SKIPPED
    elif B.mu == 0.0:
        B.kind = FRICTIONLESS
    else:
        singular = not det > 1e-9 * (trace / 3.0) ** 3
        if singular or det < 1e-5 * trace * (G.xx * G.yy - G.xy * G.xy):
            look_for_wedge(&B, G)
        if singular or B.dependent:
            B.rho = (1e-2 if B.dependent else 1e-3) * trace / 3.0
            B.G = sym3(G.xx + B.rho, G.xy, G.xz, G.yy + B.rho, G.yz, G.zz + B.rho)
            det = determinant(B.G)
        if not (det > 0.0 and B.G.xx > 0.0 and B.G.zz > 0.0 and B.G.xx * B.G.yy > B.G.xy * B.G.xy):
            B.kind = FRICTIONLESS
        else:
            B.inverse = inverse(B.G, det)
            if is_isotropic(B.G):
                B.kind = ISOTROPIC
    B.gx = B.mu * B.G.xz
    B.gy = B.mu * B.G.yz
    return B


cdef inline double largest_tangential(const Cone* B) noexcept nogil:
    """Largest eigenvalue of G_tt [1/kg]."""
    cdef double half = 0.5 * (B.G.xx - B.G.yy)
    return 0.5 * (B.G.xx + B.G.yy) + sqrt(half * half + B.G.xy * B.G.xy)


cdef inline Vec3 apply_block(const Cone* B, Vec3 lam) noexcept nogil:
    """(G_ii + rho 1) lam [m/s]."""
    return smul3(B.G, lam)


cdef inline Vec3 possible(const Cone* B, Vec3 v) noexcept nogil:
    """The velocity of a wedged contact that has the tangential part of v [m/s]."""
    return vec3(v.x, v.y, B.wx * v.x + B.wy * v.y)
