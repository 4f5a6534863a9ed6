"""Kinematics of all bodies at once, ahead of the calls that use it."""

cimport numpy as cnp

import numpy as np

from rbdyn.arguments import whole
from rbdyn.errors import StateError

from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data, matrix_out, vector_in
from rbdyn.kernels.acceleration cimport accelerations, point_acceleration_of
from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.model cimport Model, Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Motion, add3, cross3, motion, mul3


cdef void _write(Motion a, double* y) noexcept nogil:
    y[0], y[1], y[2], y[3], y[4], y[5] = a.w.x, a.w.y, a.w.z, a.v.x, a.v.y, a.v.z


def update_kinematics(state, q=None, v=None, vd=None, threads=1):
    """Set a state and compute at once what is otherwise computed when first asked for.

    Nothing has to be updated before a result is right: a State knows what it has computed for its q and v.  But most
    functions compute what they need of one body only, so that many questions about one state are answered faster after
    this.

    Parameters
    ----------
    state : State
        What to set and update.
    q : (nq,) array_like, optional
        Configuration [rad or m]; the present one stays if it is not given.  With `q` alone v stays, and the poses
        of all bodies are computed.
    v : (nv,) array_like, optional
        Velocity [rad/s or m/s]; poses and velocities are computed.
    vd : (nv,) array_like, optional
        Rate of v [rad/s^2 or m/s^2]; needs `v` where `q` is given.  Alone, it goes with the present q and v.
    threads : int
        How many threads may work, at least 1.  One does, whatever is allowed, and so the bits are the same: a
        mechanism of 500 bodies takes 12 us, and to start a second thread and to wait for it 10 to 30 us.  Threads pay
        across states, not within one.

    Returns
    -------
    accelerations : (n_bodies, 6) ndarray of float64, or None
        If `vd` is given, `body_accelerations`; accelerations are not kept in the State, whose results all belong to q
        and v alone.

    Raises
    ------
    StateError
        If a length is wrong, a number is not finite, a quaternion is not of unit length, or `vd` is given with `q` but
        without `v`; nothing changes then.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef bint alone = q is None and v is None
    whole(threads, "threads", 1)
    if vd is not None:
        if v is None and not alone:
            raise StateError("vd needs v: give update_kinematics the velocity that the accelerations belong to")
        vd = np.array(vector_in(vd, m.nv, "vd"))
    if not alone:
        here.set(q, v)
    poses(m, &here.c)
    if v is not None or alone:
        velocities(m, &here.c)
    return None if vd is None else body_accelerations(here, vd)


def body_velocities(state, out=None):
    """Velocities of all bodies.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    out : (n_bodies, 6) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    velocities : (n_bodies, 6) ndarray of float64
        `point_velocity_6d` of each body's origin, in the order of `Model.body_names`: angular part first
        [rad/s, m/s], world axes.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef CData* d = &here.c
    cdef Model model = here.model
    cdef cnp.ndarray array = matrix_out(out, m.nb - model.base, 6)
    cdef Placement place
    cdef Motion v
    cdef int i
    velocities(m, d)
    poses(m, d)
    for i in range(model.base, m.nb):
        place = <Placement> model.body_placements[i - model.base]
        v = d.vel[i]
        v = motion(mul3(d.R[i], v.w), mul3(d.R[i], add3(v.v, cross3(v.w, place.p))))
        _write(v, data(array) + 6 * (i - model.base))
    return array


def body_accelerations(state, vd, out=None):
    """Accelerations of all bodies.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    vd : (nv,) array_like of float
        Rate of v [rad/s^2 or m/s^2].
    out : (n_bodies, 6) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    accelerations : (n_bodies, 6) ndarray of float64
        `point_acceleration_6d` of each body's origin, in the order of `Model.body_names`: the rate of
        `body_velocities`, angular part first [rad/s^2, m/s^2], world axes; gravity is no part of it but through `vd`.

    Raises
    ------
    StateError
        If a length is wrong or a number is not finite.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef CData* d = &here.c
    cdef Model model = here.model
    cdef cnp.ndarray rate = vector_in(vd, m.nv, "vd")
    cdef cnp.ndarray array
    cdef Placement place
    cdef int i
    poses(m, d)
    accelerations(m, d, data(rate))
    array = matrix_out(out, m.nb - model.base, 6)          # not before: vd may lie in it
    for i in range(model.base, m.nb):
        place = <Placement> model.body_placements[i - model.base]
        _write(point_acceleration_of(d, i, place.p), data(array) + 6 * (i - model.base))
    return array
