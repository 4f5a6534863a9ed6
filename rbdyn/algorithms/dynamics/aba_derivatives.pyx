"""Derivatives of forward dynamics."""

cimport numpy as cnp

from rbdyn.algorithms.dynamics.rnea_derivatives cimport add_external
from rbdyn.algorithms.inputs.external cimport read_wrenches, sum_wrenches
from rbdyn.algorithms.inputs.regular cimport check_regular_pivots
from rbdyn.algorithms.inputs.tree cimport require_tree
from rbdyn.arguments.arrays cimport clear, data, matrices_out, vector_in
from rbdyn.kernels.ltdl cimport ltdl_factor, ltdl_inverse, ltdl_solve, ltdl_solve_rows
from rbdyn.kernels.rnea_derivatives cimport Workspace, derivatives_at, mass_and_bias, workspace_of, workspace_size
from rbdyn.model._model cimport CModel
from rbdyn.model.state cimport State


def forward_dynamics_derivatives(State state not None, tau, external=None, out=None):
    """Derivatives of `forward_dynamics` with respect to configuration, velocity and generalized forces.

    With M vd + h = tau, dvd_dq = -M^-1 dtau_dq and dvd_dv = -M^-1 dtau_dv, where dtau_dq and dtau_dv are those of
    `inverse_dynamics_derivatives` at the acceleration that tau causes.

    Parameters
    ----------
    state : State
        Where the model is and how it moves.
    tau : (nv,) array_like of float
        Generalized forces [N m or N].
    external : dict, optional
        As for `inverse_dynamics_derivatives`, which says how wrenches are held.
    out : tuple of three (nv, nv) ndarrays of float64, optional
        Zeroed, written and returned; they must not overlap.

    Returns
    -------
    dvd_dq, dvd_dv, dvd_dtau : (nv, nv) ndarrays of float64
        Row l, column k: d vd_l / d q_k along `integrate`, and so on.  dvd_dtau is the inverse of the mass matrix.

    Raises
    ------
    StateError
        If a shape is wrong, a number is not finite or arrays of `out` overlap.
    MechanismError
        If a joint moves no inertia, or the mechanism has loops.

    Notes
    -----
    Carpentier and Mansard, "Analytical derivatives of rigid body dynamics algorithms", RSS 2018.
    """
    cdef CModel* m = state.use()
    require_tree(state.model, "forward_dynamics_derivatives")
    cdef list wrenches = read_wrenches(state, external)
    cdef cnp.ndarray t = vector_in(tau, m.nv, "tau")
    cdef tuple results = matrices_out(out, 3, m.nv, m.nv)
    cdef double* H = state.scratch()
    cdef double* vd = state.c.u
    cdef Workspace w = workspace_of(m, state.workspace(workspace_size(m)))
    cdef int k
    mass_and_bias(m, &state.c, sum_wrenches(state, wrenches), w, H, vd)
    ltdl_factor(m, H)
    check_regular_pivots(state.model, H)
    for k in range(m.nv):
        vd[k] = data(t)[k] - vd[k]
    ltdl_solve(m, H, vd)
    clear(results)
    derivatives_at(m, &state.c, vd, w, data(results[0]), data(results[1]))
    add_external(state, wrenches, w, data(results[0]))
    ltdl_solve_rows(m, H, m.nv, -1.0, data(results[0]), data(results[1]))
    ltdl_inverse(m, H, data(results[2]))
    return results
