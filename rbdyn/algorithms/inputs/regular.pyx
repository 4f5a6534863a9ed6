"""What dynamics says of singular mass matrices, and of results that are no numbers."""

from rbdyn.errors import MechanismError, StateError

from libc.math cimport isfinite

from rbdyn.kernels.singular cimport NOT_SINGULAR, singular, singular_pivot
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.model cimport Model


cdef int check_regular(Model model, CData* d) except -1:
    """MechanismError if a pivot of the articulated-body factorisation vanishes."""
    cdef int i, j
    if singular(&model.c, d, &i, &j):
        _refuse(model, i, j)
    return 0


cdef int check_regular_pivots(Model model, CData* d, const double* H, bint about_base=False) except -1:
    """MechanismError if a pivot of the sparse factorisation L^T D L vanishes (kernels/singular.pxd)."""
    cdef const CModel* m = &model.c
    cdef int i = m.nb - 1, k = singular_pivot(m, d, H, about_base)
    if k == NOT_SINGULAR:
        return 0
    while m.vi[i] > k:
        i -= 1
    return _refuse(model, i, k - m.vi[i])


cdef int _refuse(Model model, int i, int j) except -1:
    raise MechanismError(
        f"the mass matrix is singular: joint {model.joint_names[i - model.base]!r} moves no inertia along its degree "
        f"of freedom {j} (none beyond rounding); give body {model.body_names[i - model.base]!r}, or its subtree, a "
        "positive definite inertia"
    )


cdef int check_result(const double* x, Py_ssize_t n, str name) except -1:
    """StateError if a result is not finite, which finite arguments cause that are too large."""
    cdef double total = 0.0
    cdef Py_ssize_t k
    for k in range(n):
        total += 0.0 * x[k]
    if total == 0.0:
        return 0
    k = 0
    while isfinite(x[k]):
        k += 1
    raise StateError(f"{name}[{k}] came out as {x[k]}: the state, or an argument, is too large for float64")
