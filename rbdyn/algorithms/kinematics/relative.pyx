"""Motion of one frame relative to another, expressed in a third; and its Jacobians.

A frame is given as a body or frame of the model, by name or as the object; the string "world" is the world.  The
convention is that of RDL: body i relative to body j, expressed in frame k, at its origin, is
v = kX_i v_i - kX_j v_j.  Rates are such that J vd + J_dot v is the acceleration that this file returns: of spatial
motion the rate of these six numbers, of points the rate in the world, turned into the axes of frame k.
"""

cimport numpy as cnp

import numpy as np

from rbdyn.errors import StateError

from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data, matrix_out, vector_in, vector_out
from rbdyn.kernels.acceleration cimport point_acceleration_of, support_accelerations
from rbdyn.kernels.jacobian cimport add_jacobian, turn_rows
from rbdyn.kernels.jacobian_dot cimport add_jacobian_dot
from rbdyn.model._model cimport POSES, VELOCITIES, CData, CModel
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Motion, Vec3, crm, sub3, sub_m, tmul3, zero3


cdef cnp.ndarray _write(Motion a, cnp.ndarray out):
    cdef double* y = data(out)
    y[0], y[1], y[2] = a.w.x, a.w.y, a.w.z
    y[3], y[4], y[5] = a.v.x, a.v.y, a.v.z
    return out


def spatial_velocity(state, body, relative_to="world", expressed_in=None, out=None):
    """Twist of one body or frame relative to another, expressed in a third.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    body : str, RigidBody or CartesianFrame
        What moves; "world" is the world.
    relative_to : str, RigidBody or CartesianFrame
        What it moves relative to; the world by default.
    expressed_in : str, RigidBody or CartesianFrame, optional
        The frame whose axes and origin the result is given in; `body` by default.
    out : (6,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    velocity : (6,) ndarray of float64
        Angular part first [rad/s, m/s]: the velocity of `body` less that of `relative_to`, both those of the
        body-fixed points that pass the origin of `expressed_in`.

    Raises
    ------
    UnknownNameError
        If there is no such body or frame.
    """
    cdef State here = state_of(state)
    cdef CData* d = &here.c
    cdef Frame i = frame_in(here, body, POSES | VELOCITIES)
    cdef Frame j = frame_in(here, relative_to, POSES | VELOCITIES)
    cdef Frame k = i if expressed_in is None else frame_in(here, expressed_in, POSES | VELOCITIES)
    cdef cnp.ndarray array = vector_out(out, 6)
    return _write(into(k, sub_m(twist_at(d, i.body, k.p), twist_at(d, j.body, k.p))), array)


def spatial_acceleration(state, vd, body, relative_to="world", expressed_in=None, out=None):
    """Spatial acceleration of one body or frame relative to another: the rate of `spatial_velocity`.

    Not the classical acceleration of a point (`point_acceleration`).  With inertial accelerations a_i, a_j and
    velocities v_i, v_j, v_k in one frame, a = a_i - a_j - v_k x (v_i - v_j): the derivative of the relative twist as
    seen from frame k, in which it is expressed.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    vd : (nv,) array_like of float
        Rate of v [rad/s^2 or m/s^2].
    body, relative_to, expressed_in
        As for `spatial_velocity`.
    out : (6,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    acceleration : (6,) ndarray of float64
        Angular part first [rad/s^2, m/s^2]: entry by entry the time derivative of `spatial_velocity`.

    Raises
    ------
    StateError
        If a length is wrong or a number is not finite.
    UnknownNameError
        If there is no such body or frame.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef CData* d = &here.c
    cdef cnp.ndarray rate = vector_in(vd, m.nv, "vd")
    cdef Frame i = frame_in(here, body, POSES | VELOCITIES)
    cdef Frame j = frame_in(here, relative_to, POSES | VELOCITIES)
    cdef Frame k = i if expressed_in is None else frame_in(here, expressed_in, POSES | VELOCITIES)
    cdef cnp.ndarray array = vector_out(out, 6)
    cdef Motion v, a
    v = sub_m(twist_at(d, i.body, k.p), twist_at(d, j.body, k.p))
    support_accelerations(m, d, i.body, data(rate))
    a = acceleration_at(d, i.body, k.p)
    support_accelerations(m, d, j.body, data(rate))
    a = sub_m(a, acceleration_at(d, j.body, k.p))
    return _write(into(k, sub_m(a, crm(twist_at(d, k.body, k.p), v))), array)


def relative_point_velocity_6d(state, base, relative, expressed_in="world", out=None):
    """Difference of the world velocities of two frames' origins, in the axes of a third.

    Not the velocity that an observer on `relative` sees: nothing is taken off for the turning of `relative`.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    base : str, RigidBody or CartesianFrame
        What moves; "world" is the world.
    relative : str, RigidBody or CartesianFrame
        Whose velocity is subtracted.
    expressed_in : str, RigidBody or CartesianFrame
        The frame whose axes the result is given in; the world by default.
    out : (6,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    velocity : (6,) ndarray of float64
        `point_velocity_6d` of `base` less that of `relative`, angular part first [rad/s, m/s], turned into
        `expressed_in`.

    Raises
    ------
    UnknownNameError
        If there is no such body or frame.
    """
    cdef State here = state_of(state)
    cdef CData* d = &here.c
    cdef Frame i = frame_in(here, base, POSES | VELOCITIES)
    cdef Frame j = frame_in(here, relative, POSES | VELOCITIES)
    cdef Frame k = frame_in(here, expressed_in, POSES)
    cdef cnp.ndarray array = vector_out(out, 6)
    return _write(into(k, sub_m(twist_at(d, i.body, i.p), twist_at(d, j.body, j.p))), array)


def relative_point_acceleration_6d(state, vd, base, relative, expressed_in="world", out=None):
    """Difference of the world accelerations of two frames' origins, in the axes of a third.

    Nothing is added for the turning of `relative` or of `expressed_in`: in the world's axes, and only there, it is the
    rate of `relative_point_velocity_6d`.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    vd : (nv,) array_like of float
        Rate of v [rad/s^2 or m/s^2].
    base, relative, expressed_in, out
        As for `relative_point_velocity_6d`.

    Returns
    -------
    acceleration : (6,) ndarray of float64
        `point_acceleration_6d` of `base` less that of `relative`: angular, then classical linear [rad/s^2, m/s^2],
        turned into `expressed_in`.

    Raises
    ------
    StateError
        If a length is wrong or a number is not finite.
    UnknownNameError
        If there is no such body or frame.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef CData* d = &here.c
    cdef cnp.ndarray rate = vector_in(vd, m.nv, "vd")
    cdef Frame i = frame_in(here, base, POSES | VELOCITIES)
    cdef Frame j = frame_in(here, relative, POSES | VELOCITIES)
    cdef Frame k = frame_in(here, expressed_in, POSES)
    cdef cnp.ndarray array = vector_out(out, 6)
    cdef Motion a
    support_accelerations(m, d, i.body, data(rate))
    a = point_acceleration_of(d, i.body, tmul3(d.R[i.body], sub3(i.p, d.p[i.body])))
    support_accelerations(m, d, j.body, data(rate))
    a = sub_m(a, point_acceleration_of(d, j.body, tmul3(d.R[j.body], sub3(j.p, d.p[j.body]))))
    return _write(into(k, a), array)


cdef tuple _relative(State state, tuple frames, object out, object out_dot, bint own, bint value, bint rate):
    """Relative Jacobian (value) and its rate; each body at its own origin, or both at that of frame k."""
    cdef CModel* m = state.use()
    cdef CData* d = &state.c
    cdef int wanted = POSES | VELOCITIES if rate else POSES
    cdef Frame i = frame_in(state, frames[0], wanted)
    cdef Frame j = frame_in(state, frames[1], wanted)
    cdef Frame k = frame_in(state, frames[2], wanted)
    cdef Vec3 x = i.p if own else k.p
    cdef Vec3 y = j.p if own else k.p
    cdef cnp.ndarray J = None
    cdef cnp.ndarray J_dot = None
    cdef Motion t
    cdef Vec3 u, w, spin                         # velocities of x and y
    if out is not None and out_dot is not None and np.may_share_memory(out, out_dot):
        raise StateError("out and out_dot must be two arrays, got overlapping memory")
    if value:
        J = matrix_out(out, 6, m.nv)
    if rate:
        J_dot = matrix_out(out_dot, 6, m.nv)
        t = twist_at(d, k.body, k.p)
        u = twist_at(d, i.body, x).v if own else t.v
        w = twist_at(d, j.body, y).v if own else t.v
        spin = zero3() if own else t.w           # of the axes in which the rate is taken
        add_jacobian_dot(m, d, i.body, x, u, spin, 1.0, True, m.nv, -1, data(J_dot))
        add_jacobian_dot(m, d, j.body, y, w, spin, -1.0, True, m.nv, -1, data(J_dot))
        turn_rows(k.R, m.nv, data(J_dot))
    if value:
        add_jacobian(m, d, i.body, x, 1.0, True, m.nv, -1, data(J))
        add_jacobian(m, d, j.body, y, -1.0, True, m.nv, -1, data(J))
        turn_rows(k.R, m.nv, data(J))
    return J, J_dot


def relative_body_spatial_jacobian(state, base, relative, expressed_in=None, out=None):
    """Jacobian of the twist of one body or frame relative to another, expressed in a third.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    base : str, RigidBody or CartesianFrame
        What moves; "world" is the world.
    relative : str, RigidBody or CartesianFrame
        What it moves relative to.
    expressed_in : str, RigidBody or CartesianFrame, optional
        The frame whose axes and origin the result is given in; `base` by default.
    out : (6, nv) ndarray of float64, optional
        Zeroed, written and returned.

    Returns
    -------
    J : (6, nv) ndarray of float64
        J v is `spatial_velocity(state, base, relative, expressed_in)` [rad/s, m/s], angular part first.

    Raises
    ------
    UnknownNameError
        If there is no such body or frame.
    """
    cdef State here = state_of(state)
    expressed_in = base if expressed_in is None else expressed_in
    return _relative(here, (base, relative, expressed_in), out, None, False, True, False)[0]


def relative_body_spatial_jacobian_dot(state, base, relative, expressed_in=None, out=None):
    """Rate of `relative_body_spatial_jacobian` along the present velocity, entry by entry.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    base, relative, expressed_in, out
        As for `relative_body_spatial_jacobian`.

    Returns
    -------
    J_dot : (6, nv) ndarray of float64
        J vd + J_dot v is `spatial_acceleration(state, vd, base, relative, expressed_in)`.
    """
    cdef State here = state_of(state)
    expressed_in = base if expressed_in is None else expressed_in
    return _relative(here, (base, relative, expressed_in), None, out, False, False, True)[1]


def relative_body_spatial_jacobian_and_dot(state, base, relative, expressed_in=None, out=None,
                                           out_dot=None):
    """`relative_body_spatial_jacobian` and its rate along the present velocity.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    base, relative, expressed_in, out
        As for `relative_body_spatial_jacobian`.
    out_dot : (6, nv) ndarray of float64, optional
        Zeroed, written and returned; not `out`.

    Returns
    -------
    J, J_dot : (6, nv) ndarrays of float64
        The Jacobian and its rate.
    """
    cdef State here = state_of(state)
    expressed_in = base if expressed_in is None else expressed_in
    return _relative(here, (base, relative, expressed_in), out, out_dot, False, True, True)


def relative_point_jacobian_6d(state, base, relative, expressed_in="world", out=None):
    """Jacobian of the difference of the world velocities of two frames' origins, in the axes of a third.

    Not the velocity that an observer on `relative` sees: nothing is taken off for the turning of `relative`.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    base : str, RigidBody or CartesianFrame
        What moves; "world" is the world.
    relative : str, RigidBody or CartesianFrame
        Whose velocity is subtracted.
    expressed_in : str, RigidBody or CartesianFrame
        The frame whose axes the result is given in; the world by default.
    out : (6, nv) ndarray of float64, optional
        Zeroed, written and returned.

    Returns
    -------
    J : (6, nv) ndarray of float64
        J v is `point_velocity_6d` of `base` less that of `relative` [rad/s, m/s], turned into `expressed_in`.

    Raises
    ------
    UnknownNameError
        If there is no such body or frame.
    """
    cdef State here = state_of(state)
    return _relative(here, (base, relative, expressed_in), out, None, True, True, False)[0]


def relative_point_jacobian_dot_6d(state, base, relative, expressed_in="world", out=None):
    """Rate of `relative_point_jacobian_6d` along the present velocity: taken in the world, then turned, as by RDL.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    base, relative, expressed_in, out
        As for `relative_point_jacobian_6d`.

    Returns
    -------
    J_dot : (6, nv) ndarray of float64
        J vd + J_dot v is `relative_point_acceleration_6d(state, vd, base, relative, expressed_in)`; entry by entry it
        is the rate of J in the axes of a frame that does not turn.
    """
    cdef State here = state_of(state)
    return _relative(here, (base, relative, expressed_in), None, out, True, False, True)[1]


def relative_point_jacobian_and_dot_6d(state, base, relative, expressed_in="world", out=None,
                                       out_dot=None):
    """`relative_point_jacobian_6d` and its rate along the present velocity.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    base, relative, expressed_in, out
        As for `relative_point_jacobian_6d`.
    out_dot : (6, nv) ndarray of float64, optional
        Zeroed, written and returned; not `out`.

    Returns
    -------
    J, J_dot : (6, nv) ndarrays of float64
        The Jacobian and its rate.
    """
    cdef State here = state_of(state)
    return _relative(here, (base, relative, expressed_in), out, out_dot, True, True, True)
