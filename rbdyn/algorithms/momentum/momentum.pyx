"""Momentum, energies and the centre of mass."""

cimport numpy as cnp

from rbdyn.errors import MechanismError

from rbdyn.algorithms.inputs.gravity cimport gravity_in
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data, vector_in, vector_out
from rbdyn.kernels.kinematics cimport poses
from rbdyn.kernels.loops cimport rotor_energy
from rbdyn.kernels.momentum cimport mass_moment, moving_mass, total_momentum, twice_kinetic_energy
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Force, Vec3, add3, cross3, dot3, mul3, vec3


cdef Force _momentum(State state) except *:
    """Momentum of all moving bodies in root axes, about the root's origin."""
    return total_momentum(state.use(), &state.c)


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
    cdef double twice = twice_kinetic_energy(m, d)
    if m.nr:
        poses(m, d)
        twice += rotor_energy(m, d)
    return 0.5 * twice


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
    cdef object given = None if gravity is None else vector_in(gravity, 3, "gravity")
    cdef Vec3 moment = mass_moment(here.use(), &here.c)
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
    cdef CModel* m = here.use()
    cdef Vec3 moment = mass_moment(m, &here.c)
    cdef double mass = moving_mass(m)
    if mass <= 0.0:
        raise MechanismError(f"mechanism {here.model.mechanism.name!r} has no moving mass, so no centre of mass")
    cdef cnp.ndarray a = vector_out(out, 3)
    data(a)[0], data(a)[1], data(a)[2] = moment.x / mass, moment.y / mass, moment.z / mass
    return a
