# The doors for arrays: what comes in is checked once and then used by pointer.

cimport numpy as cnp

cdef cnp.ndarray vector_in(object x, Py_ssize_t n, str name)
cdef cnp.ndarray vector_out(object out, Py_ssize_t n)
cdef cnp.ndarray matrix_out(object out, Py_ssize_t rows, Py_ssize_t columns)
cdef tuple matrices_out(object out, int count, Py_ssize_t rows, Py_ssize_t columns)
cdef int clear(tuple matrices) except -1
cdef cnp.ndarray apart(cnp.ndarray x, cnp.ndarray out)
cdef cnp.ndarray read_only(cnp.ndarray a)

cdef inline double* data(cnp.ndarray a) noexcept:
    return <double*> cnp.PyArray_DATA(a)

cdef inline bint overlap(cnp.ndarray a, cnp.ndarray b) noexcept:
    """Whether two contiguous arrays share memory."""
    cdef char* x = <char*> cnp.PyArray_DATA(a)
    cdef char* y = <char*> cnp.PyArray_DATA(b)
    return x < y + cnp.PyArray_NBYTES(b) and y < x + cnp.PyArray_NBYTES(a)
