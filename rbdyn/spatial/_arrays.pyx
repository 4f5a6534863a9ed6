"""The doors for arrays: native float64, right shape, finite; everything else is converted or refused by name."""

cimport numpy as cnp

import numpy as np

from rbdyn.errors import StateError

from libc.string cimport memset

cnp.import_array()


cdef bint _finite(const double* x, Py_ssize_t n) noexcept nogil:
    """Whether all are finite: 0 * x is NaN for NaN and infinities."""
    cdef double s = 0.0
    cdef Py_ssize_t k
    for k in range(n):
        s += 0.0 * x[k]
    return s == 0.0


cdef cnp.ndarray vector_in(object x, Py_ssize_t n, str name):
    """`x` as a C-contiguous, finite float64 array of n entries: itself if it is one, else a converted copy."""
    cdef cnp.ndarray a
    if isinstance(x, cnp.ndarray):
        a = <cnp.ndarray> x
        if cnp.PyArray_TYPE(a) == cnp.NPY_DOUBLE and cnp.PyArray_NDIM(a) == 1 and cnp.PyArray_ISCARRAY_RO(a):
            if cnp.PyArray_DIM(a, 0) != n:
                raise StateError(f"{name} must have {n} entries, got {cnp.PyArray_DIM(a, 0)}")
            if not _finite(<const double*> cnp.PyArray_DATA(a), n):
                raise StateError(f"{name} must be finite, got {a}")
            return a
    return _converted(x, n, name)


cdef cnp.ndarray _converted(object x, Py_ssize_t n, str name):
    """The slow way in: lists, integers, float32, strided, byte-swapped and unaligned arrays."""
    try:
        a = np.asarray(x)
    except ValueError:
        raise StateError(f"{name} must have {n} entries, got a ragged sequence") from None
    if a.dtype.kind not in "fiu" and not (n == 0 and a.size == 0):
        raise StateError(f"{name} must hold real numbers, got {type(x).__name__} of {a.dtype}")
    if a.ndim != 1 or a.shape[0] != n:
        raise StateError(f"{name} must have shape ({n},), got shape {a.shape}")
    a = cnp.PyArray_FROM_OTF(a, cnp.NPY_DOUBLE, cnp.NPY_ARRAY_CARRAY_RO | cnp.NPY_ARRAY_FORCECAST)
    if not _finite(<const double*> cnp.PyArray_DATA(<cnp.ndarray> a), n):
        raise StateError(f"{name} must be finite, got {a}")
    return a


cdef cnp.ndarray vector_out(object out, Py_ssize_t n):
    """`out` if it can hold n results, or a fresh array."""
    cdef cnp.npy_intp size = n
    if out is None:
        return cnp.PyArray_EMPTY(1, &size, cnp.NPY_DOUBLE, 0)
    _check_out(out, 1)
    if cnp.PyArray_DIM(<cnp.ndarray> out, 0) != n:
        raise StateError(f"out must have shape ({n},), got shape {out.shape}")
    return <cnp.ndarray> out


cdef cnp.ndarray matrix_out(object out, Py_ssize_t rows, Py_ssize_t columns):
    """`out`, zeroed, if it can hold rows x columns results, or a fresh array of zeros."""
    cdef cnp.npy_intp size[2]
    size[0] = rows
    size[1] = columns
    if out is None:
        return cnp.PyArray_ZEROS(2, size, cnp.NPY_DOUBLE, 0)
    _check_matrix(out, rows, columns)
    memset(data(<cnp.ndarray> out), 0, rows * columns * sizeof(double))
    return <cnp.ndarray> out


cdef tuple matrices_out(object out, int count, Py_ssize_t rows, Py_ssize_t columns):
    """The matrices in the tuple `out`, if they can hold the results, or as many fresh ones.

    They keep what they hold, which may be an argument, until `clear`; arguments that run Python code come before.
    """
    cdef int i, j
    if out is None:
        return tuple([matrix_out(None, rows, columns) for _ in range(count)])
    if not isinstance(out, (tuple, list)) or len(out) != count:
        raise StateError(f"out must be a tuple of {count} arrays, got {type(out).__name__}"
                         f"{f' of {len(out)}' if isinstance(out, (tuple, list)) else ''}")
    arrays = tuple(out)
    for i in range(count):
        _check_matrix(arrays[i], rows, columns)
        for j in range(i):
            if overlap(arrays[i], arrays[j]):
                raise StateError(f"out must not share memory, but its arrays {j} and {i} do")
    return arrays


cdef int clear(tuple matrices) except -1:
    """Zeros into all of them."""
    cdef cnp.ndarray a
    for a in matrices:
        cnp.PyArray_FILLWBYTE(a, 0)
    return 0


cdef int _check_matrix(object out, Py_ssize_t rows, Py_ssize_t columns) except -1:
    _check_out(out, 2)
    if cnp.PyArray_DIM(<cnp.ndarray> out, 0) != rows or cnp.PyArray_DIM(<cnp.ndarray> out, 1) != columns:
        raise StateError(f"out must have shape ({rows}, {columns}), got shape {out.shape}")
    return 0


cdef int _check_out(object out, int ndim) except -1:
    cdef cnp.ndarray a
    if not isinstance(out, cnp.ndarray):
        raise StateError(f"out must be a numpy array of float64, got {type(out).__name__}")
    a = <cnp.ndarray> out
    if cnp.PyArray_TYPE(a) != cnp.NPY_DOUBLE or not cnp.PyArray_ISCARRAY(a) or cnp.PyArray_NDIM(a) != ndim:
        raise StateError(
            f"out must be a writable, C-contiguous float64 array of {ndim} dimension(s), got {out.dtype} of shape "
            f"{out.shape}{'' if out.flags.writeable else ', read-only'}"
        )
    return 0


cdef cnp.ndarray apart(cnp.ndarray x, cnp.ndarray out):
    """`x`, or a copy of it if `out` lies across it; an `out` that is x itself is the algorithm's business."""
    return cnp.PyArray_NewCopy(x, cnp.NPY_CORDER) if overlap(x, out) and data(x) != data(out) else x


cdef cnp.ndarray read_only(cnp.ndarray a):
    """`a` marked read-only."""
    cnp.PyArray_CLEARFLAGS(a, cnp.NPY_ARRAY_WRITEABLE)
    return a
