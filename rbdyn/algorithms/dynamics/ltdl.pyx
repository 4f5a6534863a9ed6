"""Solving with the mass matrix by its sparse L^T D L factorisation."""

cimport numpy as cnp

from libc.string cimport memmove

from rbdyn.algorithms.inputs.regular cimport check_regular_pivots
from rbdyn.arguments.arrays cimport data, matrix_out, vector_in, vector_out
from rbdyn.kernels.crba cimport crba_lower
from rbdyn.kernels.ltdl cimport ltdl_factor, ltdl_inverse, ltdl_solve
from rbdyn.model._model cimport CModel
from rbdyn.model.state cimport State


cdef double* _factor(State state) except NULL:
    """L and D of M(q) in the state's scratch; MechanismError if a pivot is not positive."""
    cdef CModel* m = state.use()
    cdef double* H = state.scratch()
    crba_lower(m, &state.c, H)
    ltdl_factor(m, H)
    check_regular_pivots(state.model, H)
    return H


def solve_mass_matrix(State state not None, b, out=None):
    """M(q)^-1 b by the sparse factorisation.

    Featherstone, RBDA (2008), tables 6.3 and 6.5.

    Parameters
    ----------
    state : State
        Where the model is; only q matters.
    b : (nv,) array_like of float
        Right side.
    out : (nv,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    x : (nv,) ndarray of float64
        The solution of M(q) x = b.

    Raises
    ------
    MechanismError
        If the mass matrix is singular.
    """
    cdef CModel* m = state.use()
    cdef cnp.ndarray right = vector_in(b, m.nv, "b")
    cdef cnp.ndarray x = vector_out(out, m.nv)
    cdef double* H = _factor(state)
    memmove(data(x), data(right), m.nv * sizeof(double))
    ltdl_solve(m, H, data(x))
    return x


def inverse_mass_matrix(State state not None, out=None):
    """M(q)^-1 by the sparse factorisation.

    Featherstone, RBDA (2008), section 6.5.

    Parameters
    ----------
    state : State
        Where the model is; only q matters.
    out : (nv, nv) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    M_inv : (nv, nv) ndarray of float64
        Symmetric.

    Raises
    ------
    MechanismError
        If the mass matrix is singular.
    """
    cdef CModel* m = state.use()
    cdef cnp.ndarray A = matrix_out(out, m.nv, m.nv)
    cdef double* H = _factor(state)
    ltdl_inverse(m, H, data(A))
    return A
