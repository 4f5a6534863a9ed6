# A symmetric positive definite matrix in blocks, one for each two nodes that share a contact or come to share one.

from rbdyn.contact.solvers.direct.workspace cimport Direct

cdef size_t lay_out(Direct* S) noexcept nogil
cdef double* block_of(Direct* S, int row, int column) noexcept nogil
cdef bint factor(Direct* S) noexcept nogil
cdef void substitute(Direct* S) noexcept nogil
