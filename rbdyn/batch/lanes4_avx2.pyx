"""The kernels on 4 states at once, with AVX2."""

include "lanes.pxi"
