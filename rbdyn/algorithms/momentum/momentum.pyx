"""Momentum, energies and the centre of mass."""

cimport numpy as cnp

from rbdyn.errors import MechanismError

from rbdyn.algorithms.inputs.gravity cimport gravity_in
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data, vector_in, vector_out
from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.kernels.loops cimport rotor_energy
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport (
    Force, Vec3, add3, add_f, cross3, dot3, force, mul3, mul_i, power, scale3, vec3, zero3, zero_f,
)
from rbdyn.spatial.constants cimport load_inertia, load_vec3


cdef Force _momentum(State state) except *:
    """Momentum of all moving bodies in root axes, about the root's origin."""
    cdef CModel* m = state.use()
    cdef CData* d = &state.c
    cdef Force total = zero_f(), h
    cdef int i
    velocities(m, d)
    poses(m, d)
    for i in range(1, m.nb):
        h = mul_i(load_inertia(m.I_b + i), d.vel[i])
        h = force(mul3(d.R[i], h.n), mul3(d.R[i], h.f))
        total = add_f(total, force(add3(h.n, cross3(d.p[i], h.f)), h.f))
    return total


def momentum(state, out=None):
    """Spatial momentum of all moving bodies about the world's origin.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    out : (6,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    h : (6,) ndarray of float64
        Angular momentum about the world's origin [kg m^2/s], then linear [kg m/s]; world axes.  Rotors not included.
    """
    cdef State here = state_of(state)
    cdef Force h = _momentum(here)
    cdef cnp.ndarray a = vector_out(out, 6)
    data(a)[0], data(a)[1], data(a)[2] = h.n.x, h.n.y, h.n.z
    data(a)[3], data(a)[4], data(a)[5] = h.f.x, h.f.y, h.f.z
    return a


def angular_momentum(state, about=None, out=None):
    """Angular momentum of all moving bodies about a point.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    about : (3,) array_like, optional
        The point in the world frame [m]; the centre of mass by default.
    out : (3,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    L : (3,) ndarray of float64
        [kg m^2/s], world axes.
    """
    cdef State here = state_of(state)
    cdef Force h = _momentum(here)
    cdef cnp.ndarray x = vector_in(center_of_mass(here) if about is None else about, 3, "about")
    cdef cnp.ndarray a = vector_out(out, 3)
    cdef Vec3 L = add3(h.n, cross3(h.f, vec3(data(x)[0], data(x)[1], data(x)[2])))
    data(a)[0], data(a)[1], data(a)[2] = L.x, L.y, L.z
    return a


def kinetic_energy(state):
    """Kinetic energy v^T M(q) v / 2, spinning rotors included; those of loop joints too, which M does not know.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.

    Returns
    -------
    energy : float
        [J].
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef CData* d = &here.c
    cdef double twice = 0.0
    cdef int i, k
    velocities(m, d)
    for i in range(1, m.nb):
        twice += power(d.vel[i], mul_i(load_inertia(m.I_b + i), d.vel[i]))
    for k in range(m.nv):
        twice += m.rotor[k] * d.v[k] * d.v[k]
    if m.nr:
        poses(m, d)
        twice += rotor_energy(m, d)
    return 0.5 * twice


cdef Vec3 _mass_moment(State state, double* mass) except *:
    """Sum of mass times centre of mass over the moving bodies, root frame; and the mass."""
    cdef CModel* m = state.use()
    cdef CData* d = &state.c
    cdef Vec3 total = zero3()
    cdef int i
    mass[0] = 0.0
    poses(m, d)
    for i in range(1, m.nb):
        mass[0] += m.I_b[i].m
        total = add3(total, add3(scale3(m.I_b[i].m, d.p[i]), mul3(d.R[i], load_vec3(m.I_b[i].h))))
    return total


def potential_energy(state, *, gravity=None):
    """Potential energy in the gravity of the model, or of the World that the state lives in.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    gravity : (3,) array_like, optional
        World axes [m/s^2], instead of that one.

    Returns
    -------
    energy : float
        [J], zero with all mass at the world's origin.
    """
    cdef State here = state_of(state)
    cdef double mass
    cdef object given = None if gravity is None else vector_in(gravity, 3, "gravity")
    cdef Vec3 moment = _mass_moment(here, &mass)
    return -dot3(mul3(here.c.R[0], gravity_in(here, given)), moment)


def center_of_mass(state, out=None):
    """Centre of mass of all moving bodies.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    out : (3,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    com : (3,) ndarray of float64
        World frame [m].

    Raises
    ------
    MechanismError
        If the moving bodies have no mass.
    """
    cdef State here = state_of(state)
    cdef double mass
    cdef Vec3 moment = _mass_moment(here, &mass)
    if mass <= 0.0:
        raise MechanismError(f"mechanism {here.model.mechanism.name!r} has no moving mass, so no centre of mass")
    cdef cnp.ndarray a = vector_out(out, 3)
    data(a)[0], data(a)[1], data(a)[2] = moment.x / mass, moment.y / mass, moment.z / mass
    return a
