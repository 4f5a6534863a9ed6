"""Inverse dynamics by the recursive Newton-Euler algorithm."""

cimport numpy as cnp

from rbdyn.algorithms._external cimport external_forces
from rbdyn.algorithms._loops cimport refuse_loops
from rbdyn.model._model cimport CModel
from rbdyn.model.state cimport State
from rbdyn.spatial._arrays cimport data, vector_in, vector_out


def inverse_dynamics(State state not None, vd, external=None, out=None):
    """Generalized forces that produce the accelerations `vd`.

    Recursive Newton-Euler: Featherstone, RBDA (2008), table 5.1, p. 96.

    Parameters
    ----------
    state : State
        Where the model is.
    vd : (nv,) array_like of float
        Rate of v [rad/s^2 or m/s^2].
    external : dict, optional
        Body -> (6,) wrench in world axes about the body's origin, angular part first [N m, N], or a Wrench.
    out : (nv,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    tau : (nv,) ndarray of float64
        `M(q) vd + h(q, v)` less the external wrenches [N m or N]; gravity and rotor inertia included.

    Raises
    ------
    StateError
        If a length is wrong or a number is not finite.
    MechanismError
        If the mechanism has loops: torques are not unique then.
    """
    cdef CModel* m = state.use()
    refuse_loops(state.model, "inverse_dynamics")
    cdef cnp.ndarray a = vector_in(vd, m.nv, "vd")
    cdef cnp.ndarray tau = vector_out(out, m.nv)
    cdef bint forced = external_forces(state, external)
    rnea(m, &state.c, data(a), data(tau), forced)
    return tau


def bias_forces(State state not None, external=None, out=None):
    """h(q, v): Coriolis, centrifugal and gravity forces, less external wrenches.

    Parameters
    ----------
    state : State
        Where the model is.
    external : dict, optional
        As for `inverse_dynamics`.
    out : (nv,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    h : (nv,) ndarray of float64
        `inverse_dynamics` at zero acceleration [N m or N].  RBDA eq. 6.2.
    """
    cdef CModel* m = state.use()
    cdef cnp.ndarray h = vector_out(out, m.nv)
    cdef bint forced = external_forces(state, external)
    rnea(m, &state.c, NULL, data(h), forced)
    return h
