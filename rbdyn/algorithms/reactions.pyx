"""What joints transmit: reaction wrenches."""

cimport numpy as cnp

from rbdyn.algorithms._external cimport external_forces
from rbdyn.algorithms._loops cimport refuse_loops
from rbdyn.algorithms.kinematics cimport poses
from rbdyn.algorithms.rnea cimport rnea
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.model cimport Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Force, Vec3, add_f, apply_t, cross3, mul3, net_force, sub3, sub_f, zero_f, zero_m
from rbdyn.spatial._arrays cimport data, matrix_out, vector_in


cdef Force _root_reaction(const CModel* m, const CData* d, Force external) noexcept nogil:
    """What holds the root, in its internal frame, after rnea: its weight, and what the joints on it take."""
    cdef int i
    cdef Force f = sub_f(net_force(m.I_b[0], zero_m(), d.a[0]), external)
    for i in range(1, m.nb):
        if m.parent[i] == 0:
            f = add_f(f, apply_t(d.X[i], d.f[i]))
    return f


cdef void _write(const CData* d, Placement place, Force f, double* row) noexcept:
    """A force of an internal body frame as six numbers in world axes, about the origin of the placed frame."""
    cdef Vec3 n = mul3(d.R[place.body], sub3(f.n, cross3(place.p, f.f)))
    cdef Vec3 a = mul3(d.R[place.body], f.f)
    row[0], row[1], row[2], row[3], row[4], row[5] = n.x, n.y, n.z, a.x, a.y, a.z


def joint_wrenches(State state not None, vd, external=None, out=None):
    """The wrench that each joint transmits onto its body: motor torque, constraint reaction and bearing loads in one.

    Recursive Newton-Euler: Featherstone, RBDA (2008), table 5.1, p. 96, where it is f_i.

    Parameters
    ----------
    state : State
        Where the model is and how it moves.
    vd : (nv,) array_like of float
        Rate of v [rad/s^2 or m/s^2]: `forward_dynamics` for a free motion.
    external : dict, optional
        As for `inverse_dynamics`.
    out : (n_bodies, 6) ndarray of float64, optional
        Zeroed, written and returned.

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
        If the mechanism has loops: reactions are not unique then.

    Notes
    -----
    The part along the joint is `inverse_dynamics` less rotor inertia times `vd`.
    """
    cdef CModel* m = state.use()
    cdef CData* d = &state.c
    refuse_loops(state.model, "joint_wrenches")
    cdef cnp.ndarray a = vector_in(vd, m.nv, "vd")
    cdef cnp.ndarray W
    cdef bint forced = external_forces(state, external)
    cdef int k, base = state.model.base
    rnea(m, d, data(a), d.u, forced)
    W = matrix_out(out, m.nb - base, 6)                    # not before: vd and wrenches may lie in it
    poses(m, d)
    if base == 0:
        d.f[0] = _root_reaction(m, d, d.f[0] if forced else zero_f())
    for k in range(m.nb - base):
        _write(d, state.model.body_placements[k], d.f[k + base], data(W) + 6 * k)
    return W
