"""What joints transmit: reaction wrenches."""

cimport numpy as cnp

from libc.string cimport memset

from rbdyn.errors import MechanismError

from rbdyn.algorithms.inputs.external cimport on_body, read_wrenches, sum_wrenches
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data, matrix_out, still_vector, vector_in
from rbdyn.kernels.acceleration cimport accelerations
from rbdyn.kernels.kinematics cimport poses
from rbdyn.kernels.loops cimport after_origin, loop_wrench
from rbdyn.kernels.rnea cimport rnea, root_reaction
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.model cimport Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Force, Vec3, add_f, cross3, mul3, sub3, sub_f, zero_f


cdef void _write(const CData* d, Placement place, Force f, double* row) noexcept:
    """A force of an internal body frame as six numbers in world axes, about the origin of the placed frame."""
    cdef Vec3 n = mul3(d.R[place.body], sub3(f.n, cross3(place.p, f.f)))
    cdef Vec3 a = mul3(d.R[place.body], f.f)
    row[0], row[1], row[2], row[3], row[4], row[5] = n.x, n.y, n.z, a.x, a.y, a.z


cdef void _add_loop_wrenches(const CModel* m, CData* d, const double* vd, const double* lam) noexcept nogil:
    """What loop joints exert on the two bodies of each, added to d.f."""
    cdef int n, A, B
    cdef Force f
    cdef Vec3 at
    poses(m, d)
    accelerations(m, d, vd)
    for n in range(m.n_loops):
        A, B = m.loops[n].successor, m.loops[n].predecessor
        at = after_origin(d, m.loops + n)
        f = loop_wrench(m, d, m.loops + n, lam)
        d.f[A] = add_f(d.f[A], on_body(d, A, sub3(at, d.p[A]), f))
        d.f[B] = sub_f(d.f[B], on_body(d, B, sub3(at, d.p[B]), f))


cdef object _multipliers(State state, object given):
    """One number for each row of the loops, or None without loops."""
    if given is None and state.model.has_loops:
        raise MechanismError(
            f"joint_wrenches of mechanism {state.model.mechanism.name!r} needs multipliers, since it has loops: what "
            "their joints transmit; dynamics(state, ...) returns them with the accelerations"
        )
    return None if given is None else vector_in(given, state.model.c.nc, "multipliers")


def joint_wrenches(state, vd, external=None, out=None, multipliers=None):
    """The wrench that each joint transmits onto its body: motor torque, constraint reaction and bearing loads in one.

    Recursive Newton-Euler: Featherstone, RBDA (2008), table 5.1, p. 96, where it is f_i.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    vd : (nv,) array_like of float
        Rate of v [rad/s^2 or m/s^2]: `forward_dynamics` for a free motion.
    external : dict, optional
        As for `inverse_dynamics`.
    out : (n_bodies, 6) ndarray of float64, optional
        Zeroed, written and returned.
    multipliers : (num_constraints,) array_like of float, optional
        What loop joints transmit across what they block, as `dynamics` returns it together with `vd` [N m, N]; needed
        if there are loops.

    Returns
    -------
    wrenches : (n_bodies, 6) ndarray of float64
        Row k: what the parent of body k of `Model.body_names` exerts on it through its joint, moment about the origin
        of the body's frame [N m], then force [N]; world axes.  Row 0 of a fixed base is what holds the base: its weight
        and all it carries; row 0 of a floating base is what `vd` asks of nobody, zero in free motion.

    Raises
    ------
    StateError
        If a length is wrong or a number is not finite.
    MechanismError
        If the mechanism has loops and `multipliers` is not given.

    Notes
    -----
    The part along the joint is what its motor gives, less rotor inertia times `vd`.  With loops that hold one another,
    `dynamics` returns the smallest of all multipliers; how a load is shared between such loops is not determined by
    rigid bodies.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef CData* d = &here.c
    cdef list wrenches = read_wrenches(here, external)
    cdef cnp.ndarray a = vector_in(vd, m.nv, "vd")
    cdef object lam = _multipliers(here, multipliers)
    cdef cnp.ndarray W
    cdef bint forced
    cdef int k, base = here.model.base
    if lam is not multipliers:
        still_vector(a, m.nv, "vd")
    forced = sum_wrenches(here, wrenches)
    if m.n_loops:
        if not forced:
            memset(d.f, 0, m.nb * sizeof(Force))
        _add_loop_wrenches(m, d, data(a), data(<cnp.ndarray> lam))
        forced = True
    rnea(m, d, data(a), d.u, forced)
    W = matrix_out(out, m.nb - base, 6)                    # not before: vd and wrenches may lie in it
    poses(m, d)
    if base == 0:
        d.f[0] = root_reaction(m, d, d.f[0] if forced else zero_f())
    for k in range(m.nb - base):
        _write(d, here.model.body_placements[k], d.f[k + base], data(W) + 6 * k)
    return W
