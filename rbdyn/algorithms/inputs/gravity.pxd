# The gravity that a caller gives instead of a state's own.

cimport numpy as cnp

from rbdyn.arguments.arrays cimport data
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Vec3, tmul3, vec3

cdef inline Vec3 gravity_in(State here, object given):
    """Of a checked array (3,) in world axes, or None for the state's own: in root axes [m/s^2]."""
    cdef cnp.ndarray g
    if given is None:
        return here.c.gravity
    g = given
    return tmul3(here.c.R[0], vec3(data(g)[0], data(g)[1], data(g)[2]))
