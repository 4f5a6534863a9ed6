"""What the latest step of a World did to a robot, from what the step left: where it began, accelerations, wrenches.

All of it is seen from the start of the step, where its equations of motion hold.
"""

cimport numpy as cnp

import numpy as np

from libc.string cimport memcpy, memset

from rbdyn.arguments.arrays cimport data, matrix_out, read_only
from rbdyn.kernels.kinematics cimport poses
from rbdyn.kernels.loops cimport after_origin, before_axes
from rbdyn.kernels.rnea cimport rnea, root_reaction
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport (
    Force, Vec3, add3, add_f, cross3, force, mul3, scale_f, sub3, sub_f, tmul3, vec3,
)
from rbdyn.stepping.scene cimport System
from rbdyn.world.objects.object cimport WorldObject


cdef System* system_of(WorldObject robot) except NULL:
    """What the step knows of a robot; RemovedError if it has left its World."""
    robot.check_alive()
    return robot.memory.scene.system + robot.index


def is_known(WorldObject robot):
    """Whether a step was done since the robot came, and nothing set it by hand since."""
    return system_of(robot).work.took > 0.0


def forget(WorldObject robot):
    """It was set by hand: no step is known."""
    system_of(robot).work.took = 0.0


def begin(WorldObject robot, State own not None, State start not None):
    """Put `start`, another State of the robot's Model, where its latest step began, or where it is now."""
    cdef const System* s = system_of(robot)
    cdef const double* q = s.work.q_start if s.work.took > 0.0 else s.d.q
    cdef const double* v = s.work.v_start if s.work.took > 0.0 else s.d.v
    own.use()
    memcpy(start.c.q, q, s.m.nq * sizeof(double))
    memcpy(start.c.v, v, s.m.nv * sizeof(double))
    start.c.gravity, start.c.R[0], start.c.p[0] = own.c.gravity, own.c.R[0], own.c.p[0]
    start.c.stage = 0


def acceleration(WorldObject robot):
    """(v+ - v) / dt, (nv,) read-only; 0 if no step is known."""
    cdef const System* s = system_of(robot)
    cdef cnp.ndarray a = np.zeros(s.m.nv)
    cdef double* x = data(a)
    cdef int k
    if s.work.took > 0.0:
        for k in range(s.m.nv):
            x[k] = (s.work.v_next[k] - s.work.v_start[k]) / s.work.took
    return read_only(a)


def implicit_inertia(WorldObject robot):
    """What implicit terms added to the diagonal of M, (nv,) read-only; 0 if no step is known."""
    cdef const System* s = system_of(robot)
    cdef cnp.ndarray a = np.zeros(s.m.nv)
    if s.work.took > 0.0:
        memcpy(data(a), s.work.extra, s.m.nv * sizeof(double))
    return read_only(a)


def coming_inertia(WorldObject robot):
    """Implicit inertia of the step that is previewed, (nv,)."""
    cdef const System* s = system_of(robot)
    cdef cnp.ndarray a = np.zeros(s.m.nv)
    memcpy(data(a), s.work.extra, s.m.nv * sizeof(double))
    return read_only(a)


cdef Force in_body(const CData* d, int i, Force f) noexcept:
    """A force in world axes about the origin of body i, in its axes."""
    return force(tmul3(d.R[i], f.n), tmul3(d.R[i], f.f))


cdef void load_bodies(const System* s, CData* d) noexcept:
    """d.f: the mean wrench from outside, and of loop joints, on each body, in its axes; poses of d are current."""
    cdef const CModel* m = s.m
    cdef const double* w
    cdef Force f, g
    cdef Vec3 at
    cdef int i, n, A, B
    memset(d.f, 0, m.nb * sizeof(Force))
    if s.work.loaded:
        for i in range(m.nb):
            d.f[i] = in_body(d, i, scale_f(1.0 / s.work.took, s.work.loads[i]))
    for n in range(m.n_loops):
        w = s.work.loops.force + 6 * n
        A, B, at = m.loops[n].successor, m.loops[n].predecessor, after_origin(d, m.loops + n)
        g = force(mul3(before_axes(d, m.loops + n), vec3(w[0], w[1], w[2])),
                  mul3(before_axes(d, m.loops + n), vec3(w[3], w[4], w[5])))
        f = force(add3(g.n, cross3(sub3(at, d.p[A]), g.f)), g.f)
        d.f[A] = add_f(d.f[A], in_body(d, A, f))
        f = force(add3(g.n, cross3(sub3(at, d.p[B]), g.f)), g.f)
        d.f[B] = sub_f(d.f[B], in_body(d, B, f))


cdef cnp.ndarray in_world(const CData* d, int base, int nb):
    """d.f of the public bodies, each about its internal origin, in world axes."""
    cdef cnp.ndarray W = matrix_out(None, nb - base, 6)
    cdef double* row = data(W)
    cdef Vec3 n, f
    cdef int i
    for i in range(base, nb):
        n, f = mul3(d.R[i], d.f[i].n), mul3(d.R[i], d.f[i].f)
        row[0], row[1], row[2], row[3], row[4], row[5] = n.x, n.y, n.z, f.x, f.y, f.z
        row += 6
    return W


def joint_wrenches(WorldObject robot, State start not None):
    """What each joint transmits to its body, at the State where the latest step began.

    Returns
    -------
    wrenches : (n_bodies, 6) ndarray of float64
        Moment about the joint [N m], force [N], world axes; 0 if no step is known.
    """
    cdef const System* s = system_of(robot)
    cdef CModel* m = start.use()
    cdef CData* d = &start.c
    cdef cnp.ndarray vd = acceleration(robot)
    cdef int base = start.model.base
    cdef Force outside
    if s.work.took == 0.0:
        return matrix_out(None, m.nb - base, 6)
    poses(m, d)
    load_bodies(s, d)
    outside = d.f[0]
    rnea(m, d, data(vd), d.u, True)
    d.f[0] = root_reaction(m, d, outside)
    return in_world(d, base, m.nb)


def external_wrenches(WorldObject robot, State start not None):
    """What acts on each body from outside the tree, at the State where the latest step began.

    Returns
    -------
    wrenches : (n_bodies, 6) ndarray of float64
        Moment about the joint that moves the body [N m], force [N], world axes; 0 if no step is known.
    """
    cdef const System* s = system_of(robot)
    cdef CModel* m = start.use()
    cdef CData* d = &start.c
    if s.work.took == 0.0:
        return matrix_out(None, m.nb - start.model.base, 6)
    poses(m, d)
    load_bodies(s, d)
    return in_world(d, start.model.base, m.nb)
