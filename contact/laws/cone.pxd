# Cones: contacts with friction, three rows each.  The problem of one of them is cone/local.pxd.

from libc.math cimport INFINITY, fabs

from rbdyn.contact.cone.block cimport Cone, apply_block
from rbdyn.contact.cone.local cimport FAILED, STICK, FrictionLaw, Method, Mode, clipped, local_impulse
from rbdyn.contact.operator cimport Contact, Operator, add_impulse, contact_velocity, impulse_at, set_impulse
from rbdyn.spatial._algebra cimport Vec3, add3, scale3, sub3


cdef inline void prepare(Operator* G, Contact* k) noexcept nogil:
    """Nothing beyond what the operator keeps of G_ii (cone/block.pxd)."""
    pass


cdef inline double visit(Operator* G, int i, FrictionLaw law, Method method, double alpha,
                         double* impulse) noexcept nogil:
    """Solve contact i with the others held; returns |G_ii delta|_inf [m/s], infinite if it failed."""
    cdef const Cone* B = &G.contact[i].block
    cdef Vec3 old = impulse_at(impulse, i)
    cdef Vec3 c = sub3(contact_velocity(G, i), apply_block(B, old)), lam, delta
    cdef Mode mode
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


cdef inline Vec3 admissible(const Contact* k, Vec3 lam) noexcept nogil:
    """The impulse with its friction cut to the cone; none if it pulls."""
    return clipped(lam, k.block.mu)


cdef inline int held_rows(const Contact* k, Vec3 lam) noexcept nogil:
    """3 of a contact that sticks, 1 of one that slides (its friction stays), 0 of an open one or without freedom."""
    if k.block.dependent:
        return 0
    if k.mode == STICK:
        return 3
    return 1 if lam.z > 0.0 else 0
