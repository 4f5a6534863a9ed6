"""The kernels on 8 states at once, with AVX-512."""

include "lanes.pxi"
