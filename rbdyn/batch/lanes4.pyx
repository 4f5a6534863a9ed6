"""The kernels on 4 states at once."""

include "lanes.pxi"
