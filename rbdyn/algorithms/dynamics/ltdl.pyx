"""Solving with the mass matrix by its sparse L^T D L factorisation."""

cimport numpy as cnp

from libc.string cimport memmove

from rbdyn.algorithms.inputs.long cimport begin_long, end_long, factor, invert
from rbdyn.algorithms.inputs.regular cimport check_regular_pivots, check_result
from rbdyn.arguments.arrays cimport data, matrix_out, vector_in, vector_out
from rbdyn.kernels.crba cimport crba_lower
from rbdyn.kernels.ltdl cimport ltdl_factor, ltdl_inverse, ltdl_solve
from rbdyn.model._model cimport CModel
from rbdyn.model.state cimport State


cdef double* _factor(State state) except NULL:
    """L and D of M(q) in the state's scratch; MechanismError if a pivot vanishes."""
    cdef CModel* m = state.use()
    cdef double* H = state.scratch()
    if begin_long(state):
        try:
            with nogil:
                crba_lower(m, &state.c, H)
                factor(m, H)
        finally:
            end_long(state)
    else:
        crba_lower(m, &state.c, H)
        ltdl_factor(m, H)
    check_regular_pivots(state.model, &state.c, H)
    return H


def solve_mass_matrix(State state not None, b, out=None):
    """M(q)^-1 b by the sparse factorisation.

    Featherstone, RBDA (2008), tables 6.3 and 6.5.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
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
    check_result(data(x), m.nv, "x")
    return x


def inverse_mass_matrix(State state not None, out=None):
    """M(q)^-1 by the sparse factorisation.

    Featherstone, RBDA (2008), section 6.5.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
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

    Notes
    -----
    From 256 degrees of freedom on other threads run meanwhile, with other States, and Ctrl-C interrupts.
    """
    cdef CModel* m = state.use()
    cdef cnp.ndarray A = matrix_out(out, m.nv, m.nv)
    cdef double* H = _factor(state)
    cdef double* inverse = data(A)
    if begin_long(state):
        try:
            with nogil:
                invert(m, H, inverse)
        finally:
            end_long(state)
    else:
        ltdl_inverse(m, H, inverse)
    return A
