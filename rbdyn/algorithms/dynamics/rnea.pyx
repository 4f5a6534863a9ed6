"""Inverse dynamics by the recursive Newton-Euler algorithm."""

cimport numpy as cnp

from rbdyn.errors import MechanismError

from rbdyn.algorithms.dynamics.actuation cimport degrees_of_freedom, share_among
from rbdyn.algorithms.inputs.external cimport read_wrenches, sum_wrenches
from rbdyn.algorithms.inputs.regular cimport check_result
from rbdyn.algorithms.inputs.gravity cimport gravity_in
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport copy_if_overlapping, data, vector_in, vector_out
from rbdyn.kernels.rnea cimport rnea
from rbdyn.model._model cimport CModel
from rbdyn.model.model cimport Model
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Vec3


def inverse_dynamics(state, vd, external=None, actuated=None, out=None):
    """Generalized forces that produce the accelerations `vd`.

    Recursive Newton-Euler: Featherstone, RBDA (2008), table 5.1, p. 96.  With loops or passive joints, say which joints
    are `actuated`: of all forces on these that produce `vd`, the smallest are returned.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    vd : (nv,) array_like of float
        Rate of v [rad/s^2 or m/s^2].
    external : dict, optional
        Body -> (6,) wrench in world axes about the body's origin, angular part first [N m, N], or a Wrench.
    actuated : sequence of str or Joint, optional
        Joints of the tree that have a motor; all of them by default, which a mechanism with loops does not allow.
    out : (nv,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    tau : (nv,) ndarray of float64
        `M(q) vd + h(q, v)` less the external wrenches [N m or N]; gravity and rotor inertia included.  With `actuated`:
        less what the loop joints transmit, too, and zero on all other joints.

    Raises
    ------
    StateError
        If a length is wrong or a number is not finite, in the arguments or in the result, which then overflowed.
    MechanismError
        If the mechanism has loops and `actuated` is not given: torques are not unique then.  If `vd` would open a loop,
        or the actuated joints cannot produce it.
    UnknownNameError
        If `actuated` names no moving joint.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef list dofs = None                        # asked for first: a sequence of the user's may run algorithms itself
    if actuated is None:
        require_actuated(here.model)
    else:
        dofs = degrees_of_freedom(here.model, actuated)
    cdef list wrenches = read_wrenches(here, external)
    cdef cnp.ndarray a = vector_in(vd, m.nv, "vd")
    cdef cnp.ndarray tau = vector_out(out, m.nv)
    a = copy_if_overlapping(a, tau)
    cdef bint forced = sum_wrenches(here, wrenches)
    if dofs is None:
        rnea(m, &here.c, data(a), data(tau), forced)
    else:
        share_among(here, dofs, data(a), forced, data(tau))
    check_result(data(tau), m.nv, "tau")
    return tau


cdef int require_actuated(Model model) except -1:
    """MechanismError for loops without a word on which joints have motors."""
    if model.has_loops:
        raise MechanismError(
            f"mechanism {model.mechanism.name!r} has loop joints {', '.join(map(repr, model.loop_names[:5]))}, so that "
            "many torques produce one motion: name the joints that have motors, actuated=[...]"
        )
    return 0


def bias_forces(state, external=None, out=None, *, gravity=None):
    """h(q, v): Coriolis, centrifugal and gravity forces, less external wrenches.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    external : dict, optional
        As for `inverse_dynamics`.
    out : (nv,) ndarray of float64, optional
        Written and returned.
    gravity : (3,) array_like, optional
        World axes [m/s^2], instead of that of the model, or of the World that the state lives in.

    Returns
    -------
    h : (nv,) ndarray of float64
        `inverse_dynamics` at zero acceleration [N m or N].  RBDA eq. 6.2.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef list wrenches = read_wrenches(here, external)
    cdef object given = None if gravity is None else vector_in(gravity, 3, "gravity")
    cdef cnp.ndarray h = vector_out(out, m.nv)
    cdef bint forced = sum_wrenches(here, wrenches)
    cdef Vec3 own = here.c.gravity
    here.c.gravity = gravity_in(here, given)
    rnea(m, &here.c, NULL, data(h), forced)
    here.c.gravity = own
    check_result(data(h), m.nv, "h")
    return h
