# Wires whose tension users say: forces on their bodies, as external ones, in each part of a step.

from rbdyn.stepping.constraints.bodies.wire cimport Wire
from rbdyn.stepping.scene cimport Scene

cdef void measure_for_law(const Scene* s, Wire* w) noexcept nogil
cdef void add_tensions(const Scene* s, double sign) noexcept nogil
