"""Forward kinematics: where bodies are and how they move."""

cimport numpy as cnp

from rbdyn.errors import StateError

from rbdyn.algorithms.inputs.point cimport place_of, point_in, point_twist, point_in_world
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data, matrix_out, vector_out
from rbdyn.kernels.kinematics cimport poses, support
from rbdyn.model._model cimport POSES, CData, CModel
from rbdyn.model.model cimport AXIS_X, AXIS_Y, NO_TURN, Model, Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Mat3, Motion, Vec3, add3, eye3, matmul3, mul3, rows3, vec3, zero3

cnp.import_array()


cdef void _write_pose(Mat3 R, Vec3 p, double* T) noexcept nogil:
    """A homogeneous (4, 4) matrix."""
    T[0], T[1], T[2], T[3] = R.xx, R.xy, R.xz, p.x
    T[4], T[5], T[6], T[7] = R.yx, R.yy, R.yz, p.y
    T[8], T[9], T[10], T[11] = R.zx, R.zy, R.zz, p.z
    T[12], T[13], T[14], T[15] = 0.0, 0.0, 0.0, 1.0


def forward_kinematics(state, out=None):
    """World poses of all bodies.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    out : (n_bodies, 4, 4) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    poses : (n_bodies, 4, 4) ndarray of float64
        Homogeneous pose of each body's frame in the world, in the order of `Model.body_names`.  Merged bodies and
        frames: `body_pose`.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef CData* d = &here.c
    cdef Model model = here.model
    cdef cnp.npy_intp size[3]
    cdef double* T
    cdef Placement place
    cdef Vec3 p
    cdef const Mat3* R
    cdef int k
    size[0], size[1], size[2] = m.nb - model.base, 4, 4
    if out is None:
        out = cnp.PyArray_EMPTY(3, size, cnp.NPY_DOUBLE, 0)
    elif not (isinstance(out, cnp.ndarray) and cnp.PyArray_TYPE(out) == cnp.NPY_DOUBLE and cnp.PyArray_ISCARRAY(out)
              and cnp.PyArray_NDIM(out) == 3 and cnp.PyArray_DIM(out, 0) == size[0]
              and cnp.PyArray_DIM(out, 1) == 4 and cnp.PyArray_DIM(out, 2) == 4):
        raise StateError(f"out must be a writable, C-contiguous float64 array of shape ({size[0]}, 4, 4)")
    T = data(out)
    poses(m, d)
    for k in range(model.base, m.nb):
        place = <Placement> model.body_placements[k - model.base]
        p = add3(d.p[k], mul3(d.R[k], place.p)) if place.shifted else d.p[k]
        R = &d.R[k]
        if place.turn == NO_TURN:
            _write_pose(R[0], p, T)
        elif place.turn == AXIS_X:               # columns z, x, y of R
            _write_pose(rows3(vec3(R.xz, R.xx, R.xy), vec3(R.yz, R.yx, R.yy), vec3(R.zz, R.zx, R.zy)), p, T)
        elif place.turn == AXIS_Y:               # columns y, z, x of R
            _write_pose(rows3(vec3(R.xy, R.xz, R.xx), vec3(R.yy, R.yz, R.yx), vec3(R.zy, R.zz, R.zx)), p, T)
        else:
            _write_pose(matmul3(R[0], place.R), p, T)
        T += 16
    return out


def body_pose(state, body, out=None):
    """World pose of one body or frame, merged bodies included.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    body : str, RigidBody or CartesianFrame
        Which; "world" is the world.
    out : (4, 4) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    pose : (4, 4) ndarray of float64
        Homogeneous pose in the world.

    Raises
    ------
    UnknownNameError
        If there is no such body or frame.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef bint world = isinstance(body, str) and body == "world"
    cdef Placement place = place_of(here.model, body)
    cdef CData* d = &here.c
    cdef cnp.ndarray pose = matrix_out(out, 4, 4)
    if world:
        _write_pose(eye3(), zero3(), data(pose))
        return pose
    support(m, d, place.body, POSES)
    _write_pose(matmul3(d.R[place.body], place.R), point_in_world(d, place, place.p), data(pose))
    return pose


def frame_poses(state, frames):
    """World poses of several bodies or frames.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    frames : sequence of str, RigidBody or CartesianFrame
        Which, n of them.

    Returns
    -------
    poses : (n, 4, 4) ndarray of float64
        `body_pose` of each.

    Raises
    ------
    UnknownNameError
        If there is no such body or frame.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef CData* d = &here.c
    cdef list places = [place_of(here.model, frame) for frame in frames]
    cdef cnp.npy_intp size[3]
    cdef cnp.ndarray poses_of
    cdef Placement place
    cdef int k = 0
    size[0], size[1], size[2] = len(places), 4, 4
    poses_of = cnp.PyArray_EMPTY(3, size, cnp.NPY_DOUBLE, 0)
    here.use()                                  # names that are no plain str can change the mechanism
    poses(m, d)
    for place in places:
        _write_pose(matmul3(d.R[place.body], place.R), point_in_world(d, place, place.p), data(poses_of) + 16 * k)
        k += 1
    return poses_of


def point_velocity(state, body, point=None, out=None):
    """World velocity of a point fixed to a body.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    body : str, RigidBody or CartesianFrame
        Which body.
    point : (3,) array_like, optional
        The point in the body's frame [m]; its origin by default.
    out : (3,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    velocity : (3,) ndarray of float64
        [m/s], world axes.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef Placement place = place_of(here.model, body)
    cdef Vec3 x = point_in(point)
    cdef cnp.ndarray v = vector_out(out, 3)
    cdef Motion t = point_twist(m, &here.c, place, x)
    data(v)[0], data(v)[1], data(v)[2] = t.v.x, t.v.y, t.v.z
    return v


def point_velocity_6d(state, body, point=None, out=None):
    """World angular velocity of a body and linear velocity of a point fixed to it.

    Parameters
    ----------
    state, body, point, out
        As for `point_velocity`; `out` has shape (6,).

    Returns
    -------
    velocity : (6,) ndarray of float64
        Angular part first [rad/s, m/s], world axes, at the point.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef Placement place = place_of(here.model, body)
    cdef Vec3 x = point_in(point)
    cdef cnp.ndarray v = vector_out(out, 6)
    cdef Motion t = point_twist(m, &here.c, place, x)
    data(v)[0], data(v)[1], data(v)[2] = t.w.x, t.w.y, t.w.z
    data(v)[3], data(v)[4], data(v)[5] = t.v.x, t.v.y, t.v.z
    return v
