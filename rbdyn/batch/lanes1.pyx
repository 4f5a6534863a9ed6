"""The kernels on 1 state at once."""

include "lanes.pxi"
