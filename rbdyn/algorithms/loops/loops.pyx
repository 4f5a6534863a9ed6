"""What loop joints demand of positions, velocities and accelerations."""

cimport numpy as cnp

from libc.string cimport memcpy

from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.algorithms.loops.constrained cimport loops_of
from rbdyn.arguments.arrays cimport data, matrix_out, vector_out
from rbdyn.kernels.closed.constrained cimport Loops
from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.kernels.loops cimport loop_biases, loop_errors, loop_matrix
from rbdyn.model._model cimport CModel
from rbdyn.model.state cimport State


def loop_jacobian(state, out=None):
    """The Jacobian K of the loop joints: K v is how fast the loops open, zero for a motion that they allow.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    out : (nc, nv) ndarray of float64, optional
        Zeroed, written and returned.

    Returns
    -------
    K : (nc, nv) ndarray of float64
        nc is `Model.num_constraints`; `Model.loop_rows` says whose the rows are.  A joint's rows are velocities of its
        after-frame, which moves with the successor, seen from its before-frame, which moves with the predecessor, along
        what the joint blocks: rotations [rad/s] before translations [m/s], z along the joint's axis or normal.

    Notes
    -----
    Rows of translations are exactly the rate of `loop_error`.  Rows of rotations are angular velocities: the rate of
    `loop_error` where that is zero, and everywhere `K.T @ e` is the gradient of half the squared error.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef cnp.ndarray K = matrix_out(out, m.nc, m.nv)
    poses(m, &here.c)
    loop_matrix(m, &here.c, data(K))
    return K


def loop_bias(state, out=None):
    """The velocity-dependent part of the loops' acceleration, dK/dt v: loops stay closed while K vd + k = 0.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    out : (nc,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    k : (nc,) ndarray of float64
        In the rows of `loop_jacobian` [rad/s^2, m/s^2].
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef cnp.ndarray k = vector_out(out, m.nc)
    cdef Loops w = loops_of(here)
    poses(m, &here.c)
    velocities(m, &here.c)
    loop_biases(m, &here.c, w.k)
    memcpy(data(k), w.k, m.nc * sizeof(double))
    return k


def loop_error(state, out=None):
    """Constraint violation of the loops: zero where every loop joint could be assembled.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    out : (nc,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    e : (nc,) ndarray of float64
        In the rows of `loop_jacobian`: the after-frame as seen from the before-frame.  Rotations are components of the
        rotation vector that takes the before-frame, or its axis, to the after-frame's, of length up to pi [rad]; then
        come the origin's coordinates [m].
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef cnp.ndarray e = vector_out(out, m.nc)
    poses(m, &here.c)
    loop_errors(m, &here.c, data(e))
    return e
