"""Rates of Jacobians along the present velocity."""

cimport numpy as cnp

from rbdyn.algorithms.inputs.point cimport in_body, place_of, point_in, point_twist, point_in_world
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data, matrix_out
from rbdyn.kernels.jacobian cimport turn_rows
from rbdyn.kernels.jacobian_dot cimport add_jacobian_dot
from rbdyn.model._model cimport CModel
from rbdyn.model.model cimport Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Motion, Vec3, matmul3, vec3, zero3


cdef object _point_jacobian_dot(State state, object body, object point, object out, bint angular):
    cdef CModel* m = state.use()
    cdef Placement place = place_of(state.model, body)
    cdef Vec3 x = point_in(point)
    cdef cnp.ndarray J = matrix_out(out, 6 if angular else 3, m.nv)
    cdef Motion t = point_twist(m, &state.c, place, x)
    cdef Vec3 at = point_in_world(&state.c, place, in_body(place, x))
    add_jacobian_dot(m, &state.c, place.body, at, t.v, zero3(), 1.0, angular, m.nv, -1, data(J))
    return J


def point_jacobian_dot(state, body, point=None, out=None):
    """Rate of `point_jacobian` along the present velocity.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    body : str, RigidBody or CartesianFrame
        Which body.
    point : (3,) array_like, optional
        The point in the body's frame [m]; its origin by default.
    out : (3, nv) ndarray of float64, optional
        Zeroed, written and returned.

    Returns
    -------
    J_dot : (3, nv) ndarray of float64
        J vd + J_dot v is the point's classical acceleration in world axes [m/s^2], `point_acceleration`.
    """
    cdef State here = state_of(state)
    return _point_jacobian_dot(here, body, point, out, False)


def point_jacobian_dot_6d(state, body, point=None, out=None):
    """Rate of `point_jacobian_6d` along the present velocity.

    Parameters
    ----------
    state, body, point, out
        As for `point_jacobian_dot`; `out` has shape (6, nv).

    Returns
    -------
    J_dot : (6, nv) ndarray of float64
        J vd + J_dot v is `point_acceleration_6d` [rad/s^2, m/s^2], world axes.
    """
    cdef State here = state_of(state)
    return _point_jacobian_dot(here, body, point, out, True)


def body_spatial_jacobian_dot(state, body, out=None):
    """Rate of `body_spatial_jacobian` along the present velocity.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    body : str, RigidBody or CartesianFrame
        Which body.
    out : (6, nv) ndarray of float64, optional
        Zeroed, written and returned.

    Returns
    -------
    J_dot : (6, nv) ndarray of float64
        Entry by entry the time derivative.  J vd + J_dot v is the body's spatial acceleration [rad/s^2, m/s^2] in its
        own frame, at its origin: `spatial_acceleration` relative to the world.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef Placement place = place_of(here.model, body)
    cdef cnp.ndarray J = matrix_out(out, 6, m.nv)
    cdef Motion t = point_twist(m, &here.c, place, vec3(0.0, 0.0, 0.0))
    cdef Vec3 at = point_in_world(&here.c, place, place.p)
    add_jacobian_dot(m, &here.c, place.body, at, t.v, t.w, 1.0, True, m.nv, -1, data(J))
    turn_rows(matmul3(here.c.R[place.body], place.R), m.nv, data(J))
    return J
