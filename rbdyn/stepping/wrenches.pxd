# External wrenches on the bodies of an articulated system: they live one step, keep their world axes in it, and act
# about the origins of their bodies.

from libc.string cimport memset

from rbdyn.kernels.kinematics cimport poses
from rbdyn.model._model cimport CData, CModel
from rbdyn.spatial._algebra cimport Force, Vec3, add3, add_f, cross3, force, scale3, sub3, tmul3
from rbdyn.stepping.scene cimport System

cdef inline void wrenches_to_bodies(const CModel* m, CData* d, const Force* wrench) noexcept nogil:
    """From world axes into d.f, where aba reads them."""
    cdef int i
    poses(m, d)
    for i in range(m.nb):
        d.f[i] = force(tmul3(d.R[i], wrench[i].n), tmul3(d.R[i], wrench[i].f))

cdef inline void sum_wrenches(const CModel* m, CData* start, CData* end, const Force* wrench,
                              Force* total) noexcept nogil:
    """The wrenches on the subtree of each body, world axes, about its origin; levers are means over the step."""
    cdef Vec3 lever
    cdef int i, p
    poses(m, start)
    poses(m, end)
    for i in range(m.nb):
        total[i] = wrench[i]
    for i in range(m.nb - 1, 0, -1):
        p = m.parent[i]
        lever = scale3(0.5, sub3(add3(start.p[i], end.p[i]), add3(start.p[p], end.p[p])))
        total[p] = add_f(total[p], force(add3(total[i].n, cross3(lever, total[i].f)), total[i].f))

cdef inline void system_clear_wrenches(System* s) noexcept nogil:
    """Forget them."""
    if s.control.has_wrenches:
        memset(s.control.wrench, 0, s.m.nb * sizeof(Force))
        s.control.has_wrenches = False
