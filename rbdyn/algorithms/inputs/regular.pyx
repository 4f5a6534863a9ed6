"""What forward dynamics says of joints that move no inertia."""

from rbdyn.errors import MechanismError

from rbdyn.kernels.singular cimport NOT_SINGULAR, singular, singular_pivot
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.model cimport Model


cdef int check_regular(Model model, const CData* d) except -1:
    """MechanismError if a pivot of the articulated-body factorisation is not positive."""
    cdef int i, j
    if singular(&model.c, d, &i, &j):
        _refuse(model, i, j)
    return 0


cdef int check_regular_pivots(Model model, const double* H) except -1:
    """MechanismError if a pivot of the sparse factorisation L^T D L is not positive."""
    cdef const CModel* m = &model.c
    cdef int i = m.nb - 1, k = singular_pivot(m, H)
    if k == NOT_SINGULAR:
        return 0
    while m.vi[i] > k:
        i -= 1
    return _refuse(model, i, k - m.vi[i])


cdef int _refuse(Model model, int i, int j) except -1:
    raise MechanismError(
        f"joint {model.joint_names[i - model.base]!r} moves no positive inertia along its degree of "
        f"freedom {j}: give body {model.body_names[i - model.base]!r}, or what hangs on it, a positive "
        "definite inertia"
    )
