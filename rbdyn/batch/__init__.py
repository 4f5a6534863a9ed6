"""The kernels on 1, 4 or 8 states of one model at once: one source, compiled once for each width.

`lanes1`, `lanes4` and `lanes8` hold the same class `Lanes`; the wider ones need a compiler with vector types (GCC or
Clang) and are left out where there is none.  All widths give the same bits.
"""
