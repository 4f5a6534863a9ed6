"""Dynamics of mechanisms with loops: accelerations and velocities that keep loop joints closed."""

cimport numpy as cnp

import numpy as np

from rbdyn.algorithms.loops.result import DynamicsResult
from rbdyn.arguments import number
from rbdyn.errors import MechanismError, StateError

from libc.string cimport memmove

from rbdyn.algorithms.inputs.external cimport read_wrenches, sum_wrenches
from rbdyn.algorithms.inputs.regular cimport check_regular, check_result
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data, vector_in, vector_out
from rbdyn.kernels.aba cimport aba_inward, aba_outward
from rbdyn.kernels.closed.constrained cimport (
    Loops, add_rotor_forces, close_loops, constrained, follow, loops_size, place_loops, rank_of, row_products, shortest,
)
from rbdyn.kernels.rnea cimport rnea_momentum
from rbdyn.kernels.singular cimport NOT_SINGULAR
from rbdyn.model._model cimport CModel
from rbdyn.model.state cimport State


cdef Loops loops_of(State state) except *:
    """The state's working memory for loops, by their groups; what else it holds is old."""
    cdef CModel* m = state.use()
    return place_loops(m, <double*> state.workspace(loops_size(m)))


cdef int _refuse_massless(State state, int k) except -1:
    if k != NOT_SINGULAR:
        raise MechanismError(
            f"the mass matrix is singular: joint {state.model.joint_of(k)!r} moves no inertia along degree of freedom "
            f"{k} of the tree in a motion that loops leave; give its subtree a positive definite inertia"
        )
    return 0


cdef int solve_constrained(State state, const double* tau, double stiffness, double damping, bint external, double* vd,
                           double* lam) except -1:
    """vd (nv,) and, unless NULL, multipliers (nc,); returns the rank of the loops."""
    cdef CModel* m = state.use()
    cdef Loops w = loops_of(state)
    cdef double* H = state.scratch()
    _refuse_massless(state, constrained(m, &state.c, H, &w, tau, stiffness, damping, external, vd, lam))
    return rank_of(&w)


def dynamics(state, tau=None, external=None, stiffness=100.0, damping=20.0):
    """Accelerations that the generalized forces `tau` produce, and the forces in the loop joints.

    Of all accelerations that keep the loops closed, the one nearest to the free one in the metric of the mass matrix
    (Gauss's principle).  Redundant loops are allowed: they change no acceleration, and share the load by the smallest
    multipliers.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    tau : (nv,) array_like of float, optional
        Generalized forces of the tree's joints [N m or N]; zero by default.
    external : dict, optional
        Body -> (6,) wrench in world axes about the body's origin, angular part first [N m, N], or a Wrench.
    stiffness, damping : float
        How loops that are open close again: K vd + k = -damping K v - stiffness e, each row as an oscillator of
        that stiffness [1/s^2] and damping [1/s] per unit of mass.  Both zero: the bare constraint.

    Returns
    -------
    result : DynamicsResult
        `.vd` (nv,), `.multipliers` (num_constraints,) and `.rank`; without loops the last two are empty and 0.

    Raises
    ------
    StateError
        If a length is wrong, a number is not finite, or a gain is negative.
    MechanismError
        If a motion that the loops leave moves no inertia.

    Notes
    -----
    Rotor inertia of a loop joint acts; its spring, damping, friction and limits do not, as for joints of the tree.
    Loops that share joints are taken together, others apart. Rows count as dependent at 1e-10 of the largest of them;
    where loops are violated, at 30 times their largest `loop_error`, though not above 1e-5, since that is how far the
    opening moves redundant rows apart. Loops that contradict one another are met by least squares over the rows, whose
    units are mixed. Sources: RBDA, the chapter on closed-loop
    systems; Baumgarte (1972); the gains are those of RigidBodyDynamics.jl.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef double k = number(stiffness, "stiffness", low=0.0, error=StateError)
    cdef double c = number(damping, "damping", low=0.0, error=StateError)
    cdef list wrenches = read_wrenches(here, external)
    cdef cnp.ndarray force = np.zeros(m.nv) if tau is None else vector_in(tau, m.nv, "tau")
    cdef cnp.ndarray vd = vector_out(None, m.nv)
    cdef cnp.ndarray lam = vector_out(None, m.nc)
    cdef bint forced
    cdef int rank = 0
    forced = sum_wrenches(here, wrenches)
    if here.model.has_loops:
        rank = solve_constrained(here, data(force), k, c, forced, data(vd), data(lam))
    else:
        aba_inward(m, &here.c, data(force), NULL, forced)
        check_regular(here.model, &here.c)
        aba_outward(m, &here.c, data(vd))
    check_result(data(vd), m.nv, "vd")
    return DynamicsResult(vd, lam, rank)


def project_velocity(state, v=None, out=None):
    """The velocity with K v = 0 that is nearest to `v` in kinetic energy.

    What a sudden rigid connection would leave: momentum is shared along what the loops allow.

    Parameters
    ----------
    state : State
        Configuration q and velocity v; it is not changed.
    v : (nv,) array_like of float, optional
        Velocity to project [rad/s or m/s]; the state's own by default.
    out : (nv,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    v : (nv,) ndarray of float64
        `v - M^-1 K^T (K M^-1 K^T)^+ K v`; rotors of loop joints count as mass.

    Raises
    ------
    StateError
        If a length is wrong or a number is not finite.
    MechanismError
        If a motion that the loops leave moves no inertia.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef cnp.ndarray start = vector_in(here.v if v is None else v, m.nv, "v")
    cdef cnp.ndarray result = vector_out(out, m.nv)
    memmove(data(result), data(start), m.nv * sizeof(double))   # and from here on only this: they may overlap
    if here.model.has_loops:
        project_onto_loops(here, data(result), NULL)
    return result


cdef double project_onto_loops(State state, double* v, const double* rate) except -1.0:
    """v <- v - M^-1 K^T (K M^-1 K^T)^+ (K v - rate), with the loops opening at `rate` (nc,); NULL for zero.

    Returns the kinetic energy of the change, of the tree without its loops [J].
    """
    cdef CModel* m = state.use()
    cdef Loops w = loops_of(state)
    cdef double energy = 0.0
    cdef int i
    close_loops(m, &state.c, &w)
    row_products(m, &w, v, w.b)
    for i in range(m.nc):
        w.b[i] = (0.0 if rate is NULL else rate[i]) - w.b[i]
    shortest(m, &w)
    rnea_momentum(m, &state.c, w.x, w.f)
    add_rotor_forces(m, &w, w.x, NULL, w.f)
    for i in range(m.nv):
        w.f[i] = -w.f[i]
    _refuse_massless(state, follow(m, &state.c, state.scratch(), &w))
    rnea_momentum(m, &state.c, w.x, w.t)
    for i in range(m.nv):
        energy += 0.5 * w.x[i] * w.t[i]
        v[i] += w.x[i]
    return energy
