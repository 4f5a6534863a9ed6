"""Solving with the mass matrix, and its inverse."""

cimport numpy as cnp

from rbdyn.errors import StateError

from rbdyn.algorithms.inputs.long cimport begin_long, end_long, invert
from rbdyn.algorithms.inputs.regular cimport check_regular, check_regular_pivots, check_result
from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data, matrix_out, vector_in, vector_out
from rbdyn.kernels.articulated cimport articulated_factor, has_long_paths, rest_inward, rest_outward
from rbdyn.kernels.crba cimport crba_lower
from rbdyn.kernels.ltdl cimport ltdl_factor, ltdl_inverse
from rbdyn.model._model cimport CModel
from rbdyn.model.state cimport State


def solve_mass_matrix(state, b, out=None):
    """M(q)^-1 b by the articulated-body algorithm at rest.

    Featherstone, RBDA (2008), table 7.1, p. 132.  Cost grows linearly with the bodies.

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
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef cnp.ndarray right = vector_in(b, m.nv, "b")
    cdef cnp.ndarray x = vector_out(out, m.nv)
    rest_inward(m, &here.c, data(right))
    check_regular(here.model, &here.c)
    rest_outward(m, &here.c, data(x))
    check_result(data(x), m.nv, "x")
    return x


def inverse_mass_matrix(state, out=None, diagonal=None):
    """M(q)^-1, or with more on the diagonal, by the sparse factorisation M = L^T D L.

    Featherstone, RBDA (2008), section 6.5; of long chains, the factors come from articulated inertias.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    out : (nv, nv) ndarray of float64, optional
        Written and returned.
    diagonal : (nv,) array_like of float, optional
        Added to the diagonal of M, 0 or more: rotors, or what implicit damping and springs add
        (`ArticulatedSystem.implicit_inertia`).

    Returns
    -------
    M_inv : (nv, nv) ndarray of float64
        Symmetric.

    Raises
    ------
    MechanismError
        If the mass matrix is singular.
    StateError
        If `diagonal` has a wrong length, or an entry below 0.

    Notes
    -----
    From 256 degrees of freedom on other threads run meanwhile, with other States, and Ctrl-C interrupts.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef cnp.ndarray extra = None if diagonal is None else vector_in(diagonal, m.nv, "diagonal")
    cdef cnp.ndarray A
    cdef double* H
    cdef double* inverse
    cdef int k
    if extra is not None and (extra < 0.0).any():
        raise StateError(f"diagonal must not be negative, got {extra.min()} for degree of freedom {extra.argmin()}")
    A = matrix_out(out, m.nv, m.nv)
    H, inverse = here.scratch(), data(A)
    if extra is not None:
        crba_lower(m, &here.c, H)
        for k in range(m.nv):
            H[k * <size_t> m.nv + k] += data(extra)[k]
        ltdl_factor(m, H)
    elif has_long_paths(m, &here.c):
        articulated_factor(m, &here.c, H)
    else:
        crba_lower(m, &here.c, H)
        ltdl_factor(m, H)
    check_regular_pivots(here.model, &here.c, H)
    if begin_long(here):
        try:
            with nogil:
                invert(m, H, inverse)
        finally:
            end_long(here)
    else:
        ltdl_inverse(m, H, inverse)
    return A
