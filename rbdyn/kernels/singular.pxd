# Where a factorisation of the mass matrix breaks down.

from rbdyn.model._model cimport CData, CModel

cdef enum:
    NOT_SINGULAR = -1

cdef inline bint singular(const CModel* m, const CData* d, int* joint, int* freedom) noexcept nogil:
    """Whether a pivot of the articulated-body factorisation is not positive, and whose.

    From the leaves to the root, as the pivots come about: after a division by zero all others may be NaN.
    """
    cdef int i, j
    for i in range(m.nb - 1, 0, -1):
        for j in range(m.nvi[i]):
            if not d.D[6 * (m.vi[i] + j) + (j if m.nvi[i] > 1 else 0)] > 0.0:
                joint[0], freedom[0] = i, j
                return True
    return False

cdef inline int singular_pivot(const CModel* m, const double* H) noexcept nogil:
    """The degree of freedom whose pivot of the sparse factorisation L^T D L is not positive, or NOT_SINGULAR.

    From the leaves to the root, for the same reason.
    """
    cdef Py_ssize_t k, nv = m.nv
    for k in range(nv - 1, -1, -1):
        if not H[k * nv + k] > 0.0:
            return k
    return NOT_SINGULAR
