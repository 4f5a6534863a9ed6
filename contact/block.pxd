# The 3x3 diagonal block of one contact: what a visit needs of G_ii, computed once a step.
# Axes x, y, z are t1, t2, normal.

from libc.math cimport fabs, sqrt

from rbdyn.spatial._algebra cimport Sym3, Vec3, smul3, sym3

cdef enum Kind:
    GENERAL
    ISOTROPIC                # x = y = b = 0, a = d: balls; both laws have a closed form
    FRICTIONLESS             # mu = 0, or a block that is not positive definite
    SKIPPED                  # no normal mobility: the contact gets no impulse

cdef struct Block:
    Sym3 G                   # G_ii + rho 1 [1/kg]
    Sym3 inverse             # its inverse [kg]
    double mu                # friction coefficient, at most 1e12
    double gx, gy            # mu G_tn [1/kg]
    double rho               # proximal term [1/kg], 0 unless G_ii is nearly singular
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


cdef inline Block make_block(Sym3 G, double mu) noexcept nogil:
    """The constants of one contact.

    A block with det < 1e-9 (trace / 3)^3 (a leg with two joints, an arm at a singularity) gets a proximal term
    rho = 1e-3 trace / 3: the visit solves with G + rho 1 and c - rho lam_old, which has the same fixed point.
    Without normal mobility (G_nn below 1e-12 of the largest diagonal entry), or with a trace outside
    1e-30 ... 1e30 / kg, there is nothing to solve.
    """
    cdef Block B
    cdef double trace = G.xx + G.yy + G.zz
    cdef double det = determinant(G)
    B.rho = 0.0
    B.mu = min(mu, 1e12) if mu > 0.0 else 0.0          # NaN and negative values count as no friction
    B.G = G
    B.inverse = sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    B.kind = GENERAL
    if not (1e-30 < trace < 1e30 and G.zz >= 1e-12 * max(G.xx, G.yy)):
        B.kind = SKIPPED
    elif B.mu == 0.0:
        B.kind = FRICTIONLESS
    else:
        if not det > 1e-9 * (trace / 3.0) ** 3:
            B.rho = 1e-3 * trace / 3.0
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


cdef inline double largest_tangential(const Block* B) noexcept nogil:
    """Largest eigenvalue of G_tt [1/kg]."""
    cdef double half = 0.5 * (B.G.xx - B.G.yy)
    return 0.5 * (B.G.xx + B.G.yy) + sqrt(half * half + B.G.xy * B.G.xy)


cdef inline Vec3 apply_block(const Block* B, Vec3 lam) noexcept nogil:
    """(G_ii + rho 1) lam [m/s]."""
    return smul3(B.G, lam)
