"""Jacobians of points without the columns that are zero for every configuration."""

cimport numpy as cnp

import numpy as np

from rbdyn.arguments import shown, whole
from rbdyn.errors import StateError

from rbdyn.algorithms.inputs.point cimport in_body, place_of, point_in, point_twist, point_in_world
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data, matrix_out, read_only
from rbdyn.kernels.jacobian cimport add_jacobian, support_size
from rbdyn.kernels.jacobian_dot cimport add_jacobian_dot
from rbdyn.kernels.kinematics cimport support
from rbdyn.model._model cimport POSES, CModel
from rbdyn.model.model cimport Model, Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Motion, Vec3, zero3

cnp.import_array()


cdef class SparseJacobian:
    """The columns of a Jacobian that belong to the degrees of freedom which move a body; cannot be changed.

    `J @ v` is the velocity, for v of (nv,) or (nv, n); `f @ J` is the generalized force J^T f, (nv,), of a force f.

    Parameters
    ----------
    columns : (k,) array_like of int
        The entries of v that move the body.
    values : (rows, k) array_like of float
        Their columns.  6 rows have the angular part first.
    nv : int
        Length of v.

    Attributes
    ----------
    columns : (k,) ndarray of int
        Read-only.
    values : (rows, k) ndarray of float64
        Read-only.
    nv : int
        Length of v.

    Raises
    ------
    StateError
        If shapes do not fit, or a column is not one of nv or stands twice.
    """

    cdef readonly object columns
    cdef readonly object values
    cdef readonly Py_ssize_t nv
    __array_ufunc__ = None                       # numpy's arrays leave f @ J to __rmatmul__

    def __init__(self, columns, values, nv):
        nv = whole(nv, "nv", 0, 2**31 - 1, error=StateError)
        try:
            entries, J = np.array(columns), np.array(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise StateError("columns must be whole numbers (k,), values numbers (rows, k), not ragged") from None
        if entries.size == 0:
            entries = entries.astype(np.intp)
        if entries.ndim != 1 or J.ndim != 2 or J.shape[1] != len(entries):
            raise StateError(f"values must have shape (rows, k), columns (k,); got {J.shape} and {entries.shape}")
        if entries.dtype.kind not in "iu" or ((entries < 0) | (entries >= nv)).any():
            raise StateError(f"columns must be whole numbers from 0 to nv - 1 = {nv - 1}, got {shown(columns)}")
        if len(np.unique(entries)) < len(entries):
            raise StateError(f"columns must be different, got {shown(columns)}")
        self.columns, self.values, self.nv = read_only(entries.astype(np.intp)), read_only(J), nv

    cdef int rows(self) except -1:
        """Number of rows."""
        if self.values is None:
            raise StateError("this SparseJacobian was made without its columns; call sparse_point_jacobian")
        return len(self.values)

    @property
    def angular(self):
        """The first three of six rows, a SparseJacobian: of the body's angular velocity."""
        return self._half(0)

    @property
    def linear(self):
        """The last three of six rows, a SparseJacobian: of the point's velocity."""
        return self._half(3)

    cdef SparseJacobian _half(self, int first):
        if self.rows() != 6:
            raise StateError(f"only a Jacobian of 6 rows has an angular and a linear half, this one has {self.rows()}")
        return _sparse(self.columns, self.values[first:first + 3], self.nv)

    def dense(self):
        """The whole Jacobian, (rows, nv); a fresh array."""
        J = np.zeros((self.rows(), self.nv))
        J[:, self.columns] = self.values
        return J

    def __matmul__(self, v):
        self.rows()
        v = np.asarray(v)
        if v.ndim not in (1, 2) or len(v) != self.nv:
            raise StateError(f"v must have {self.nv} entries, or rows, got shape {v.shape}")
        return self.values @ v[self.columns]

    def __rmatmul__(self, f):
        rows, f = self.rows(), np.asarray(f)
        if f.ndim not in (1, 2) or f.shape[f.ndim - 1] != rows:
            raise StateError(f"f must have {rows} entries, or columns, got shape {f.shape}")
        shape = [*f.shape]
        shape[f.ndim - 1] = self.nv
        tau = np.zeros(shape)
        tau[..., self.columns] = f @ self.values
        return tau

    def __reduce__(self):
        self.rows()
        return SparseJacobian, (self.columns, self.values, self.nv)

    def __repr__(self):
        return f"SparseJacobian(columns={self.columns}, values={self.values}, nv={self.nv})"


cdef SparseJacobian _sparse(object columns, object values, Py_ssize_t nv):
    """From read-only arrays that fit."""
    cdef SparseJacobian J = SparseJacobian.__new__(SparseJacobian)
    J.columns, J.values, J.nv = columns, values, nv
    return J


cdef cnp.ndarray _columns(const CModel* m, int body):
    """The entries of v that move a body, in rising order."""
    cdef cnp.npy_intp n = support_size(m, body)
    cdef cnp.ndarray columns = cnp.PyArray_EMPTY(1, &n, cnp.NPY_INTP, 0)
    cdef cnp.npy_intp* x = <cnp.npy_intp*> cnp.PyArray_DATA(columns)
    cdef int i = body, k
    while i > 0:
        n -= m.nvi[i]
        for k in range(m.nvi[i]):
            x[n + k] = m.vi[i] + k
        i = m.parent[i]
    return read_only(columns)


def supporting_columns(Model model not None, body):
    """Which degrees of freedom move a body: the columns of its Jacobians that can be other than zero.

    Parameters
    ----------
    model : Model
        Whose body.
    body : str, RigidBody or CartesianFrame
        Which body or frame.

    Returns
    -------
    columns : (k,) ndarray of int
        Entries of v, in rising order; read-only.

    Raises
    ------
    UnknownNameError
        If there is no such body or frame.
    """
    cdef CModel* m = model.use()
    return _columns(m, place_of(model, body).body)


cdef object _sparse_jacobian(State state, object body, object point, bint angular, bint rate):
    cdef CModel* m = state.use()
    cdef Placement place = place_of(state.model, body)
    cdef Vec3 given = point_in(point), x = in_body(place, given)
    cdef int n = support_size(m, place.body)
    cdef cnp.ndarray J = matrix_out(None, 6 if angular else 3, n)
    cdef Motion t
    if rate:
        t = point_twist(m, &state.c, place, given)
        add_jacobian_dot(m, &state.c, place.body, point_in_world(&state.c, place, x), t.v, zero3(), 1.0, angular, n, n,
                         data(J))
    else:
        support(m, &state.c, place.body, POSES)
        add_jacobian(m, &state.c, place.body, point_in_world(&state.c, place, x), 1.0, angular, n, n, data(J))
    return _sparse(_columns(m, place.body), read_only(J), m.nv)


def sparse_point_jacobian(state, body, point=None):
    """`point_jacobian` without the columns of joints that do not move the body.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    body : str, RigidBody or CartesianFrame
        Which body.
    point : (3,) array_like, optional
        The point in the body's frame [m]; its origin by default.

    Returns
    -------
    J : SparseJacobian
        3 rows; `J @ v` is the point's velocity in world axes [m/s], `J.dense()` is `point_jacobian`.
    """
    cdef State here = state_of(state)
    return _sparse_jacobian(here, body, point, False, False)


def sparse_point_jacobian_6d(state, body, point=None):
    """`point_jacobian_6d` without the columns of joints that do not move the body.

    Parameters
    ----------
    state, body, point
        As for `sparse_point_jacobian`.

    Returns
    -------
    J : SparseJacobian
        6 rows, `J.angular` and `J.linear`: `J @ v` is the body's angular velocity and the point's linear velocity in
        world axes [rad/s, m/s].
    """
    cdef State here = state_of(state)
    return _sparse_jacobian(here, body, point, True, False)


def sparse_point_jacobian_dot(state, body, point=None):
    """`point_jacobian_dot` without the columns of joints that do not move the body.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    body, point
        As for `sparse_point_jacobian`.

    Returns
    -------
    J_dot : SparseJacobian
        3 rows; with J of `sparse_point_jacobian`, J @ vd + J_dot @ v is the point's classical acceleration [m/s^2].
    """
    cdef State here = state_of(state)
    return _sparse_jacobian(here, body, point, False, True)


def sparse_point_jacobian_dot_6d(state, body, point=None):
    """`point_jacobian_dot_6d` without the columns of joints that do not move the body.

    Parameters
    ----------
    state, body, point
        As for `sparse_point_jacobian_dot`.

    Returns
    -------
    J_dot : SparseJacobian
        6 rows; with J of `sparse_point_jacobian_6d`, J @ vd + J_dot @ v is `point_acceleration_6d`.
    """
    cdef State here = state_of(state)
    return _sparse_jacobian(here, body, point, True, True)
