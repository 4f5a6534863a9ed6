from cpython.object cimport PyObject


cdef struct SupportData:
    PyObject* const* function      # one: what Python calls; NULL where there is compiled code
    const size_t* compiled         # one: the address of a Compiled; 0: there is none
    const size_t* user             # one: what it is given [address]

# Write to x (3,) the point farthest along d (3,), of any length but zero, both in the shape frame [m].
ctypedef void (*Compiled)(const double* d, double* x, void* user) noexcept nogil
