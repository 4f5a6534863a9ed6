"""Moving on the configuration manifold."""

cimport numpy as cnp

from rbdyn.arguments import number
from rbdyn.errors import StateError

from libc.math cimport isfinite
from libc.string cimport memmove

from rbdyn.arguments.arrays cimport data, overlap, still_vector, vector_in, vector_out
from rbdyn.kernels.configuration cimport difference_joints, integrate_joints
from rbdyn.model._model cimport CModel
from rbdyn.model.model cimport Model
from rbdyn.model.state cimport check_blocks


def integrate(Model model not None, q, v, dt=1.0, out=None):
    """The configuration after moving with constant v for a time dt.

    Parameters
    ----------
    model : Model
        Whose configuration.
    q : (nq,) array_like of float
        Where to start; quaternions [w, x, y, z] and pairs [sine, cosine] of unit length.
    v : (nv,) array_like of float
        Velocity.
    dt : float
        Duration [s].
    out : (nq,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    q_next : (nq,) ndarray of float64
        Rotations move by the exponential map and stay of unit length; a stereographic p stays within length 1.

    Raises
    ------
    StateError
        If a length is wrong, a number is not finite, or a quaternion or pair [sine, cosine] is not of unit length.
    """
    cdef CModel* m = model.use()
    cdef double step = dt if type(dt) is float else number(dt, "dt", unit="[s]", error=StateError)
    cdef cnp.ndarray start = vector_in(q, m.nq, "q")
    cdef cnp.ndarray speed = vector_in(v, m.nv, "v")
    cdef cnp.ndarray result = vector_out(out, m.nq)
    if speed is not v:
        still_vector(start, m.nq, "q")
    if not isfinite(step):
        number(dt, "dt", unit="[s]", error=StateError)
    check_blocks(m, data(start), "q")
    if overlap(result, speed):
        speed = speed.copy()
    memmove(data(result), data(start), m.nq * sizeof(double))
    integrate_joints(m, data(result), data(speed), step)
    return result


def difference(Model model not None, q0, q1, out=None):
    """The velocity that leads from q0 to q1 in unit time: `integrate(model, q0, v, 1) == q1`.

    Parameters
    ----------
    model : Model
        Whose configurations.
    q0, q1 : (nq,) array_like of float
        From, to.
    out : (nv,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    v : (nv,) ndarray of float64
        In the convention of v; rotations take the shorter way, but plain angles that of their numbers.

    Raises
    ------
    StateError
        As of `integrate`.
    """
    cdef CModel* m = model.use()
    cdef cnp.ndarray a = vector_in(q0, m.nq, "q0")
    cdef cnp.ndarray b = vector_in(q1, m.nq, "q1")
    cdef cnp.ndarray v = vector_out(out, m.nv)
    if b is not q1:
        still_vector(a, m.nq, "q0")
    check_blocks(m, data(a), "q0")
    check_blocks(m, data(b), "q1")
    a = a.copy() if overlap(v, a) else a
    b = b.copy() if overlap(v, b) else b
    difference_joints(m, data(a), data(b), data(v))
    return v
