# External wrenches on the bodies of an articulated system: they live one step, and keep their world axes in it, while
# the points at which forces act move with their bodies.

from libc.string cimport memset

from rbdyn.kernels.kinematics cimport poses
from rbdyn.model._model cimport CData, CModel
from rbdyn.spatial._algebra cimport (
    Force, Mat3, Vec3, add3, add_f, cross3, force, matmul3, scale3, scale_f, sub3, tmul3, vec3,
)
from rbdyn.stepping.scene cimport System, SystemControl

cdef inline Vec3 moment_of(Mat3 lever, Mat3 R) noexcept nogil:
    """sum (R r) x f, of lever = sum r f^T."""
    cdef Mat3 A = matmul3(R, lever)
    return vec3(A.yz - A.zy, A.zx - A.xz, A.xy - A.yx)

cdef inline void wrenches_to_bodies(const CModel* m, CData* d, const SystemControl* c) noexcept nogil:
    """From world axes into d.f, where aba reads them."""
    cdef int i
    poses(m, d)
    for i in range(m.nb):
        d.f[i] = force(tmul3(d.R[i], add3(c.wrench[i].n, moment_of(c.lever[i], d.R[i]))), tmul3(d.R[i], c.wrench[i].f))

cdef inline void sum_wrenches(const CModel* m, CData* start, CData* end, const SystemControl* c,
                              Force* total) noexcept nogil:
    """The wrenches on the subtree of each body, world axes, about its origin; levers are means over the step."""
    cdef Vec3 lever, n
    cdef int i, p
    poses(m, start)
    poses(m, end)
    for i in range(m.nb):
        n = scale3(0.5, add3(moment_of(c.lever[i], start.R[i]), moment_of(c.lever[i], end.R[i])))
        total[i] = force(add3(c.wrench[i].n, n), c.wrench[i].f)
    for i in range(m.nb - 1, 0, -1):
        p = m.parent[i]
        lever = scale3(0.5, sub3(add3(start.p[i], end.p[i]), add3(start.p[p], end.p[p])))
        total[p] = add_f(total[p], force(add3(total[i].n, cross3(lever, total[i].f)), total[i].f))

cdef inline void begin_loads(System* s, double dt) noexcept nogil:
    """A step begins: what acts on each body from outside are the given wrenches so far."""
    cdef const SystemControl* c = &s.control
    cdef Vec3 n
    cdef int i
    s.work.took = 0.0
    s.work.loaded = c.has_wrenches
    if c.has_wrenches:
        for i in range(s.m.nb):
            n = add3(c.wrench[i].n, moment_of(c.lever[i], s.d.R[i]))
            s.work.loads[i] = scale_f(dt, force(n, c.wrench[i].f))

cdef inline void note_load(System* s, int body, Vec3 at, Vec3 impulse, Vec3 moment) noexcept nogil:
    """An impulse [N s] at a point, and a moment [N m s], act on a body from outside; world axes."""
    if not s.work.loaded:
        memset(s.work.loads, 0, s.m.nb * sizeof(Force))
        s.work.loaded = True
    s.work.loads[body] = add_f(s.work.loads[body],
                               force(add3(moment, cross3(sub3(at, s.d.p[body]), impulse)), impulse))

cdef inline void system_clear_wrenches(System* s) noexcept nogil:
    """Forget them."""
    if s.control.has_wrenches:
        memset(s.control.wrench, 0, s.m.nb * sizeof(Force))
        memset(s.control.lever, 0, s.m.nb * sizeof(Mat3))
        s.control.has_wrenches = False
