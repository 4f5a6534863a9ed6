"""Derivatives of forward dynamics."""

cimport numpy as cnp

from rbdyn.algorithms.derivatives.rnea cimport add_external
from rbdyn.algorithms.inputs.external cimport read_wrenches, sum_wrenches
from rbdyn.algorithms.inputs.long cimport begin_long, end_long, factor, invert, solve_rows
from rbdyn.algorithms.inputs.regular cimport check_regular_pivots, check_result
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.algorithms.inputs.tree cimport require_tree
from rbdyn.arguments.arrays cimport clear, data, matrices_out, vector_in
from rbdyn.kernels.ltdl cimport ltdl_factor, ltdl_inverse, ltdl_solve, ltdl_solve_rows
from rbdyn.kernels.rnea_derivatives cimport Workspace, derivatives_at, mass_and_bias, workspace_of, workspace_size
from rbdyn.model._model cimport CModel
from rbdyn.model.state cimport State


def forward_dynamics_derivatives(state, tau, external=None, out=None):
    """Derivatives of `forward_dynamics` with respect to configuration, velocity and generalized forces.

    With M vd + h = tau, dvd_dq = -M^-1 dtau_dq and dvd_dv = -M^-1 dtau_dv, where dtau_dq and dtau_dv are those of
    `inverse_dynamics_derivatives` at the acceleration that tau causes.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
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
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    require_tree(here.model, "forward_dynamics_derivatives")
    cdef list wrenches = read_wrenches(here, external)
    cdef cnp.ndarray t = vector_in(tau, m.nv, "tau")
    cdef tuple results = matrices_out(out, 3, m.nv, m.nv)
    cdef double* H = here.scratch()
    cdef double* vd = here.c.u
    cdef int k
    cdef Workspace w = workspace_of(m, here.workspace(workspace_size(m)))
    cdef double* dq = data(results[0])
    cdef double* dv = data(results[1])
    cdef double* dtau = data(results[2])
    cdef bint forced = sum_wrenches(here, wrenches), long_ = begin_long(here)
    try:
        _factor(here, H, forced, w, vd, long_)
        for k in range(m.nv):
            vd[k] = data(t)[k] - vd[k]
        ltdl_solve(m, H, vd)
        check_result(vd, m.nv, "vd")
        clear(results)
        derivatives_at(m, &here.c, vd, w, dq, dv)
        add_external(here, wrenches, w, dq)
        if long_:
            with nogil:
                solve_rows(m, H, m.nv, -1.0, dq, dv)
                invert(m, H, dtau)
        else:
            ltdl_solve_rows(m, H, m.nv, -1.0, dq, dv)
            ltdl_inverse(m, H, dtau)
    finally:
        if long_:
            end_long(here)
    return results


cdef int _factor(State state, double* H, bint forced, Workspace w, double* h, bint long_) except -1:
    """L and D of M(q) in H, and h(q, v) less external forces; MechanismError if a pivot vanishes."""
    cdef const CModel* m = &state.model.c
    if long_:
        with nogil:
            mass_and_bias(m, &state.c, forced, w, H, h)
            factor(m, H)
    else:
        mass_and_bias(m, &state.c, forced, w, H, h)
        ltdl_factor(m, H)
    check_regular_pivots(state.model, &state.c, H, True)
    return 0
