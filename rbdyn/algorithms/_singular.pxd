from rbdyn.model._model cimport CData, CModel
from rbdyn.model.model cimport Model

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

cdef int refuse_singular(Model model, const CData* d) except -1
cdef int refuse_singular_pivots(Model model, const double* H) except -1
