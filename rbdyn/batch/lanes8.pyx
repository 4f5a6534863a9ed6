"""The kernels on 8 states at once."""

include "lanes.pxi"
