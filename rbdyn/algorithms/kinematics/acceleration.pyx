"""Accelerations of points fixed to bodies."""

cimport numpy as cnp

from rbdyn.algorithms.inputs.point cimport in_body, place_of, point_in
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data, vector_in, vector_out
from rbdyn.kernels.acceleration cimport point_acceleration_of, support_accelerations
from rbdyn.kernels.kinematics cimport support
from rbdyn.model._model cimport POSES, VELOCITIES, CModel
from rbdyn.model.model cimport Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Motion, Vec3


cdef object _point_acceleration(State state, object vd, object body, object point, object out, bint angular):
    cdef CModel* m = state.use()
    cdef Placement place = place_of(state.model, body)
    cdef Vec3 x = in_body(place, point_in(point))
    cdef cnp.ndarray rate = vector_in(vd, m.nv, "vd")
    cdef cnp.ndarray array = vector_out(out, 6 if angular else 3)
    cdef double* y = data(array)
    cdef Motion a
    support(m, &state.c, place.body, POSES | VELOCITIES)
    support_accelerations(m, &state.c, place.body, data(rate))
    a = point_acceleration_of(&state.c, place.body, x)
    if angular:
        y[0], y[1], y[2] = a.w.x, a.w.y, a.w.z
        y += 3
    y[0], y[1], y[2] = a.v.x, a.v.y, a.v.z
    return array


def point_acceleration(state, vd, body, point=None, out=None):
    """World acceleration of a point fixed to a body: the second derivative of its position.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    vd : (nv,) array_like of float
        Rate of v [rad/s^2 or m/s^2].
    body : str, RigidBody or CartesianFrame
        Which body.
    point : (3,) array_like, optional
        The point in the body's frame [m]; its origin by default.
    out : (3,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    acceleration : (3,) ndarray of float64
        Classical acceleration [m/s^2], world axes; gravity is no part of it but through `vd`.

    Raises
    ------
    StateError
        If a length is wrong or a number is not finite.
    UnknownNameError
        If there is no such body or frame.
    """
    cdef State here = state_of(state)
    return _point_acceleration(here, vd, body, point, out, False)


def point_acceleration_6d(state, vd, body, point=None, out=None):
    """World angular acceleration of a body and classical acceleration of a point fixed to it.

    Parameters
    ----------
    state, vd, body, point, out
        As for `point_acceleration`; `out` has shape (6,).

    Returns
    -------
    acceleration : (6,) ndarray of float64
        The rate of `point_velocity_6d`: angular part first [rad/s^2, m/s^2], world axes, at the point.
    """
    cdef State here = state_of(state)
    return _point_acceleration(here, vd, body, point, out, True)
