"""Forward dynamics by the articulated-body algorithm."""

cimport numpy as cnp

from rbdyn.algorithms.inputs.external cimport read_wrenches, sum_wrenches
from rbdyn.algorithms.inputs.regular cimport check_regular, check_result
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.algorithms.loops.constrained cimport solve_constrained
from rbdyn.arguments.arrays cimport data, vector_in, vector_out
from rbdyn.kernels.aba cimport aba_inward, aba_outward
from rbdyn.kernels.closed.constrained cimport LOOP_DAMPING, LOOP_STIFFNESS
from rbdyn.model._model cimport CModel
from rbdyn.model.state cimport State


def forward_dynamics(state, tau, external=None, out=None):
    """Accelerations that the generalized forces `tau` produce.

    Articulated-body algorithm: Featherstone, RBDA (2008), table 7.1, p. 132.  Cost grows linearly with the bodies.
    A mechanism with loops goes by its multipliers; `dynamics` does the same, says more, and takes gains.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    tau : (nv,) array_like of float
        Generalized forces [N m or N].
    external : dict, optional
        Body -> (6,) wrench in world axes about the body's origin, angular part first [N m, N], or a Wrench.
    out : (nv,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    vd : (nv,) ndarray of float64
        `M(q)^-1 (tau - h(q, v))` with the external wrenches [rad/s^2 or m/s^2]; with loops, what `dynamics` gives by
        its default gains.

    Raises
    ------
    StateError
        If a length is wrong or a number is not finite, in the arguments or in the result, which then overflowed.
    MechanismError
        If the mass matrix is singular: a joint moves no inertia.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef list wrenches = read_wrenches(here, external)
    cdef cnp.ndarray t = vector_in(tau, m.nv, "tau")
    cdef cnp.ndarray vd = vector_out(out, m.nv)
    cdef bint forced = sum_wrenches(here, wrenches)
    if here.model.has_loops:
        solve_constrained(here, data(t), LOOP_STIFFNESS, LOOP_DAMPING, forced, data(vd), NULL)
        check_result(data(vd), m.nv, "vd")
        return vd
    aba_inward(m, &here.c, data(t), NULL, forced)
    check_regular(here.model, &here.c)
    aba_outward(m, &here.c, data(vd))
    check_result(data(vd), m.nv, "vd")
    return vd
