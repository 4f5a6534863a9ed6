cdef tuple decimals_of(str text, Py_ssize_t n)
