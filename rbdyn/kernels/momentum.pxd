# Momentum, energy and centre of mass of all moving bodies, as sums over them.

from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.model._model cimport CData, CModel
from rbdyn.spatial._algebra cimport (
    Force, Vec3, add3, add_f, cross3, force, mul3, mul_i, power, real, scale3, splat, zero3, zero_f,
)
from rbdyn.spatial.constants cimport load_inertia, load_vec3

cdef inline Force total_momentum(const CModel* m, CData* d) noexcept nogil:
    """In root axes, about the root's origin."""
    cdef Force total = zero_f(), h
    cdef int i
    velocities(m, d)
    poses(m, d)
    for i in range(1, m.nb):
        h = mul_i(load_inertia(m.I_b + i), d.vel[i])
        h = force(mul3(d.R[i], h.n), mul3(d.R[i], h.f))
        total = add_f(total, force(add3(h.n, cross3(d.p[i], h.f)), h.f))
    return total

cdef inline real twice_kinetic_energy(const CModel* m, CData* d) noexcept nogil:
    """v^T M(q) v, spinning rotors of tree joints included."""
    cdef real twice = splat(0.0)
    cdef int i, k
    velocities(m, d)
    for i in range(1, m.nb):
        twice += power(d.vel[i], mul_i(load_inertia(m.I_b + i), d.vel[i]))
    for k in range(m.nv):
        twice += m.rotor[k] * d.v[k] * d.v[k]
    return twice

cdef inline double moving_mass(const CModel* m) noexcept nogil:
    """[kg]."""
    cdef double mass = 0.0
    cdef int i
    for i in range(1, m.nb):
        mass += m.I_b[i].m
    return mass

cdef inline Vec3 mass_moment(const CModel* m, CData* d) noexcept nogil:
    """Sum of mass times centre of mass over the moving bodies, root frame [kg m]."""
    cdef Vec3 total = zero3()
    cdef int i
    poses(m, d)
    for i in range(1, m.nb):
        total = add3(total, add3(scale3(splat(m.I_b[i].m), d.p[i]), mul3(d.R[i], load_vec3(m.I_b[i].h))))
    return total
