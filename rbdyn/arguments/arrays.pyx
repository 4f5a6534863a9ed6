"""Arrays that a caller gives: native float64, right shape, finite; everything else is converted or refused by name."""

cimport numpy as cnp

import numpy as np

from rbdyn.arguments.values import UNREADABLE as _UNREADABLE
from rbdyn.errors import Error, StateError

from libc.string cimport memset

cnp.import_array()


cdef inline bint _finite(const double* x, Py_ssize_t n) noexcept nogil:
    """Whether all are finite: 0 * x is NaN for NaN and infinities.  Four sums, so that few wait for one another."""
    cdef double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0
    cdef Py_ssize_t k, whole = n & ~3
    for k in range(0, whole, 4):
        s0 += 0.0 * x[k]
        s1 += 0.0 * x[k + 1]
        s2 += 0.0 * x[k + 2]
        s3 += 0.0 * x[k + 3]
    for k in range(whole, n):
        s0 += 0.0 * x[k]
    return (s0 + s1) + (s2 + s3) == 0.0


cdef object _needed(tuple shape, str unit, str layout):
    """What an argument must be, in words; None in a shape is any length."""
    sizes = ", ".join(["?" if n is None else str(n) for n in shape])
    need = f"({sizes},)" if len(shape) == 1 else f"({sizes})"
    return f"{need}{unit and ' ' + unit}{layout and ': ' + layout}{';' if layout else ','}"


cdef int _check_finite(cnp.ndarray a, str name, str unit, object error) except -1:
    if not _finite(data(a), cnp.PyArray_SIZE(a)):
        k = int(np.flatnonzero(~np.isfinite(a))[0])
        index = tuple(map(int, np.unravel_index(k, np.shape(a))))
        where = "" if not index else f" at index {index[0] if len(index) == 1 else index}"
        raise error(f"{name} must be finite{unit and ' ' + unit}, got {float(a.flat[k])}{where}")
    return 0


cdef cnp.ndarray _converted(object x, tuple shape, str name, str unit, str layout, object error):
    """A copy of lists, integers, float32, strided, byte-swapped and unaligned arrays; the rest is refused."""
    cdef cnp.ndarray a
    cdef int k
    if cnp.PyArray_CheckExact(x) and cnp.PyArray_TYPE(x) == cnp.NPY_DOUBLE and cnp.PyArray_NDIM(x) == len(shape):
        a = cnp.PyArray_NewCopy(x, cnp.NPY_CORDER)                 # the usual case, and the fastest
        for k in range(cnp.PyArray_NDIM(a)):
            if shape[k] is not None and shape[k] != cnp.PyArray_DIM(a, k):
                raise error(f"{name} must have shape {_needed(shape, unit, layout)} got shape {x.shape}")
        if cnp.PyArray_ISNOTSWAPPED(a):
            _check_finite(a, name, unit, error)
            return a
    if isinstance(x, cnp.ndarray) and hasattr(x, "mask"):
        raise error(f"{name} must not be a masked array, whose gaps are no numbers; give x.filled(...) instead")
    try:
        given = np.asarray(x)
    except ValueError:
        raise error(f"{name} must have shape {_needed(shape, unit, layout)} got a ragged sequence") from None
    except _UNREADABLE as why:
        raise error(f"{name} must be an array, but to read it raised {type(why).__name__}: {str(why)[:200]}") from why
    if given.dtype.kind not in "fiu" and (given.size or None not in shape and 0 not in shape):
        raise error(f"{name} must hold real numbers{unit and ' ' + unit}, got {type(x).__name__} of {given.dtype.name}")
    if given.ndim != len(shape) or any([i is not None and i != n for i, n in zip(shape, given.shape)]):
        raise error(f"{name} must have shape {_needed(shape, unit, layout)} got shape {given.shape}")
    if given.dtype.itemsize > 8:                   # what float64 cannot hold becomes infinite, and is refused
        with np.errstate(all="ignore"):
            given = given.astype(np.float64)
    a = np.array(given, dtype=np.float64, order="C")
    _check_finite(a, name, unit, error)
    return a


def as_array(x, tuple shape not None, str name not None, str unit="", *, error=Error):
    """`x` as a fresh, finite, C-contiguous float64 array of a shape; None in the shape is any length.

    Integers and other float types are converted; bool, complex, text, objects and masked arrays are refused.
    """
    return _converted(x, shape, name, unit, "", error)


def as_vector(x, Py_ssize_t n, str name not None, str unit="", *, error=Error):
    """`x` as a fresh array of n finite float64 numbers: `as_array` for one dimension."""
    cdef cnp.ndarray a
    if type(x) is tuple and len(<tuple> x) == n:    # most often three floats, and numpy takes its time with those
        a = _of_floats(<tuple> x, n)
        if a is not None:
            return a
    return _converted(x, (n,), name, unit, "", error)


cdef cnp.ndarray _of_floats(tuple x, cnp.npy_intp n):
    """The array of a tuple of finite floats; None if there is anything else in it."""
    cdef cnp.ndarray a = cnp.PyArray_EMPTY(1, &n, cnp.NPY_DOUBLE, 0)
    cdef double* entries = data(a)
    cdef cnp.npy_intp k
    for k in range(n):
        if type(x[k]) is not float:
            return None
        entries[k] = x[k]
    return a if _finite(entries, n) else None


cdef inline bint _is_plain(cnp.ndarray a) noexcept:
    """Whether this is a vector that can be used by pointer: float64, native, aligned, contiguous."""
    return cnp.PyArray_TYPE(a) == cnp.NPY_DOUBLE and cnp.PyArray_NDIM(a) == 1 and cnp.PyArray_ISCARRAY_RO(a)


cdef cnp.ndarray vector_in(object x, Py_ssize_t n, str name, str layout=""):
    """`x` as a C-contiguous, finite float64 array of n entries: itself if it is one, else a copy.

    `layout` says in words what the entries are.
    """
    cdef cnp.ndarray a
    if cnp.PyArray_CheckExact(x):
        a = <cnp.ndarray> x
        if _is_plain(a):
            if cnp.PyArray_DIM(a, 0) != n or not _finite(data(a), n):
                still_vector(a, n, name, layout)
            return a
    return _converted(x, (n,), name, "", layout, StateError)


cdef int still_vector(cnp.ndarray a, Py_ssize_t n, str name, str layout="") except -1:
    """StateError unless `a`, which vector_in returned, still has n entries, all finite."""
    if not _is_plain(a):
        raise StateError(f"{name} must not change its type or layout while other arguments are read")
    if cnp.PyArray_DIM(a, 0) != n:
        raise StateError(f"{name} must have shape {_needed((n,), '', layout)} got shape ({cnp.PyArray_DIM(a, 0)},)")
    if not _finite(data(a), n):
        _check_finite(a, name, "", StateError)
    return 0


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


cdef cnp.ndarray copy_if_overlapping(cnp.ndarray x, cnp.ndarray out):
    """`x`, or a copy of it if `out` lies across it; an `out` that is x itself is the algorithm's business."""
    return cnp.PyArray_NewCopy(x, cnp.NPY_CORDER) if overlap(x, out) and data(x) != data(out) else x


cdef cnp.ndarray read_only(cnp.ndarray a):
    """`a` marked read-only."""
    cnp.PyArray_CLEARFLAGS(a, cnp.NPY_ARRAY_WRITEABLE)
    return a
