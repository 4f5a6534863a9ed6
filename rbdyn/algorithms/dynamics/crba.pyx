"""The mass matrix by the composite-rigid-body algorithm."""

cimport numpy as cnp

from rbdyn.algorithms.inputs.regular cimport check_result
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport copy_if_overlapping, data, matrix_out, vector_in, vector_out
from rbdyn.kernels.crba cimport crba
from rbdyn.kernels.rnea cimport rnea_momentum
from rbdyn.model._model cimport CModel
from rbdyn.model.state cimport State


def mass_matrix(state, out=None):
    """The joint-space inertia matrix M(q).

    Composite-rigid-body algorithm: Featherstone, RBDA (2008), table 6.2, p. 107.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    out : (nv, nv) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    M : (nv, nv) ndarray of float64
        Symmetric; rotor inertia included on the diagonal [kg m^2, kg m or kg].
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef cnp.ndarray M = matrix_out(out, m.nv, m.nv)
    crba(m, &here.c, data(M))
    return M


def mass_matrix_times(state, x, out=None):
    """M(q) x without forming M, by one Newton-Euler pass with zero velocity and gravity.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    x : (nv,) array_like of float
        An acceleration, or a velocity: M v is the generalized momentum.
    out : (nv,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    y : (nv,) ndarray of float64
        M(q) x.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef cnp.ndarray a = vector_in(x, m.nv, "x")
    cdef cnp.ndarray y = vector_out(out, m.nv)
    rnea_momentum(m, &here.c, data(copy_if_overlapping(a, y)), data(y))
    check_result(data(y), m.nv, "y")
    return y
