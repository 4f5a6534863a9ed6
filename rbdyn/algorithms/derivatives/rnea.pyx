"""Derivatives of inverse dynamics."""

cimport numpy as cnp

from libc.string cimport memcpy

from rbdyn.algorithms.inputs.external cimport about_body, read_wrenches, sum_wrenches
from rbdyn.algorithms.inputs.long cimport begin_long, end_long
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.algorithms.inputs.tree cimport require_tree
from rbdyn.arguments.arrays cimport clear, data, matrices_out, vector_in
from rbdyn.kernels.external_derivatives cimport held_in_frame, held_in_world
from rbdyn.kernels.rnea_derivatives cimport Workspace, rnea_derivatives, workspace_of, workspace_size
from rbdyn.model._model cimport CModel
from rbdyn.model.model cimport Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Vec3, tmul3, vec3


def inverse_dynamics_derivatives(state, vd, external=None, out=None):
    """Derivatives of `inverse_dynamics` with respect to configuration, velocity and acceleration.

    dtau_dq is along `integrate`: column k is the rate of tau as q moves by dq = e_k in ``integrate(model, q, dq, 1)``,
    with the numbers v and vd held.  For spherical and floating joints that is a turn about an axis of the parent-side
    frame.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    vd : (nv,) array_like of float
        Rate of v [rad/s^2 or m/s^2].
    external : dict, optional
        As for `inverse_dynamics`.  A (6,) wrench is held in world axes, about its body's origin as that moves.  A
        Wrench is held in its own frame, and moves and turns with the body that carries that frame.
    out : tuple of three (nv, nv) ndarrays of float64, optional
        Zeroed, written and returned; they must not overlap.

    Returns
    -------
    dtau_dq, dtau_dv, dtau_dvd : (nv, nv) ndarrays of float64
        Row l, column k: d tau_l / d q_k, and so on.  dtau_dvd is the mass matrix, rotor inertia included.

    Raises
    ------
    StateError
        If a shape is wrong, a number is not finite or arrays of `out` overlap.
    MechanismError
        If the mechanism has loops: torques are not unique then.

    Notes
    -----
    Singh, Russell and Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra",
    IEEE RA-L 7 (2022); Carpentier and Mansard, "Analytical derivatives of rigid body dynamics algorithms", RSS 2018.
    docs/derivatives.md has the derivation.  The cost grows with the number of pairs of joints of which one carries the
    other.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    require_tree(here.model, "inverse_dynamics_derivatives")
    cdef list wrenches = read_wrenches(here, external)
    cdef cnp.ndarray a = vector_in(vd, m.nv, "vd")
    cdef tuple results = matrices_out(out, 3, m.nv, m.nv)
    cdef double* accelerations = here.c.u       # vd may lie in what is overwritten
    cdef Workspace w = workspace_of(m, here.workspace(workspace_size(m)))
    memcpy(accelerations, data(a), m.nv * sizeof(double))
    clear(results)
    cdef double* dq = data(results[0])
    cdef double* dv = data(results[1])
    cdef double* M = data(results[2])
    cdef bint forced = sum_wrenches(here, wrenches)
    if begin_long(here):
        with nogil:
            rnea_derivatives(m, &here.c, accelerations, forced, w, dq, dv, M)
        end_long(here)
    else:
        rnea_derivatives(m, &here.c, accelerations, forced, w, dq, dv, M)
    add_external(here, wrenches, w, dq)
    return results


cdef int add_external(State state, list wrenches, Workspace w, double* dq) except -1:
    """Add to d tau / dq that external wrenches do not move with their bodies."""
    cdef const CModel* m = &state.model.c
    cdef Placement place, frame
    cdef cnp.ndarray x
    cdef Vec3 n, f
    for place, frame, x in wrenches:
        if place.body == 0:
            continue
        if frame is None:
            n = tmul3(state.c.R[place.body], vec3(data(x)[0], data(x)[1], data(x)[2]))
            f = tmul3(state.c.R[place.body], vec3(data(x)[3], data(x)[4], data(x)[5]))
            held_in_world(m, w, place.body, place.p, n, f, dq)
        elif frame.body != place.body:
            held_in_frame(m, &state.c, w, place.body, frame.body, about_body(state, place, frame, data(x)), dq)
    return 0
