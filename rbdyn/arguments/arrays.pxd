# Arrays that a caller gives: checked once, then used by pointer.
#
# An array that was checked may be changed by what a caller runs later: the __array__, __len__ or __hash__ of another
# argument.  So a function with several arguments reads them all first, and looks again, with `still_vector`, at those
# that are the caller's own before it uses them.  `vector_in` runs no code of the caller for a plain float64 array, and
# returns a copy of everything else, which nobody can change.

cimport numpy as cnp

cdef cnp.ndarray vector_in(object x, Py_ssize_t n, str name, str layout=*)
cdef int still_vector(cnp.ndarray a, Py_ssize_t n, str name, str layout=*) except -1
cdef cnp.ndarray vector_out(object out, Py_ssize_t n)
cdef cnp.ndarray matrix_out(object out, Py_ssize_t rows, Py_ssize_t columns)
cdef tuple matrices_out(object out, int count, Py_ssize_t rows, Py_ssize_t columns)
cdef int clear(tuple matrices) except -1
cdef cnp.ndarray copy_if_overlapping(cnp.ndarray x, cnp.ndarray out)
cdef cnp.ndarray read_only(cnp.ndarray a)

cdef inline double* data(cnp.ndarray a) noexcept:
    return <double*> cnp.PyArray_DATA(a)

cdef inline bint overlap(cnp.ndarray a, cnp.ndarray b) noexcept:
    """Whether two contiguous arrays share memory."""
    cdef char* x = <char*> cnp.PyArray_DATA(a)
    cdef char* y = <char*> cnp.PyArray_DATA(b)
    return x < y + cnp.PyArray_NBYTES(b) and y < x + cnp.PyArray_NBYTES(a)
