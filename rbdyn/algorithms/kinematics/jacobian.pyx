"""Jacobians of points and bodies."""

cimport numpy as cnp

from rbdyn.algorithms.inputs.point cimport in_body, place_of, point_in, point_in_world
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data, matrix_out
from rbdyn.kernels.jacobian cimport add_jacobian, turn_rows
from rbdyn.kernels.kinematics cimport support
from rbdyn.model._model cimport POSES, CModel
from rbdyn.model.model cimport Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Vec3, matmul3


cdef object _point_jacobian(State state, object body, object point, object out, bint angular):
    cdef CModel* m = state.use()
    cdef Placement place = place_of(state.model, body)
    cdef Vec3 x = in_body(place, point_in(point))
    cdef cnp.ndarray J = matrix_out(out, 6 if angular else 3, m.nv)
    support(m, &state.c, place.body, POSES)
    add_jacobian(m, &state.c, place.body, point_in_world(&state.c, place, x), 1.0, angular, m.nv, -1, data(J))
    return J


def point_jacobian(state, body, point=None, out=None):
    """Jacobian of a point fixed to a body.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    body : str, RigidBody or CartesianFrame
        Which body.
    point : (3,) array_like, optional
        The point in the body's frame [m]; its origin by default.
    out : (3, nv) ndarray of float64, optional
        Zeroed, written and returned.

    Returns
    -------
    J : (3, nv) ndarray of float64
        J v is the point's velocity in world axes [m/s].
    """
    cdef State here = state_of(state)
    return _point_jacobian(here, body, point, out, False)


def point_jacobian_6d(state, body, point=None, out=None):
    """Jacobian of a frame at a point fixed to a body, with the world's axes.

    Parameters
    ----------
    state, body, point, out
        As for `point_jacobian`; `out` has shape (6, nv).

    Returns
    -------
    J : (6, nv) ndarray of float64
        J v is the body's angular velocity and the point's linear velocity, in world axes [rad/s, m/s].
    """
    cdef State here = state_of(state)
    return _point_jacobian(here, body, point, out, True)


def body_spatial_jacobian(state, body, out=None):
    """Jacobian of a body's twist, in the body's frame at its origin.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    body : str, RigidBody or CartesianFrame
        Which body.
    out : (6, nv) ndarray of float64, optional
        Zeroed, written and returned.

    Returns
    -------
    J : (6, nv) ndarray of float64
        J v is the body's twist relative to the world, angular part first, in the body's axes [rad/s, m/s].
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef Placement place = place_of(here.model, body)
    cdef cnp.ndarray J = matrix_out(out, 6, m.nv)
    support(m, &here.c, place.body, POSES)
    add_jacobian(m, &here.c, place.body, point_in_world(&here.c, place, place.p), 1.0, True, m.nv, -1, data(J))
    turn_rows(matmul3(here.c.R[place.body], place.R), m.nv, data(J))
    return J
