"""What many robots are, do and are told, as arrays with a row for each World; the Worlds are alike (alike.py)."""

cimport numpy as cnp

import numpy as np

from rbdyn.errors import StateError

from libc.string cimport memcpy

from rbdyn.arguments.arrays cimport data
from rbdyn.collision._types cimport ContactPoint
from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.model._model cimport CData
from rbdyn.model.model cimport Model, Placement
from rbdyn.model.state cimport State, check_blocks
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, cross3, matmul3, mul3
from rbdyn.stepping.assemble cimport CONTACTS
from rbdyn.stepping.constraints.contact.contacts cimport cone_impulse
from rbdyn.stepping.pipeline cimport Pipeline
from rbdyn.stepping.scene cimport SystemControl
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.world cimport World

cnp.import_array()


def configurations(list robots not None, int nq):
    """q of each, (n, nq), fresh."""
    cdef cnp.ndarray out = np.empty((len(robots), nq))
    cdef ArticulatedSystem robot
    cdef double* row = data(out)
    for robot in robots:
        check_width(robot, nq, -1)
        memcpy(row, robot.state.c.q, nq * sizeof(double))
        row += nq
    return out


def speeds(list robots not None, int nv):
    """v of each, (n, nv), fresh."""
    cdef cnp.ndarray out = np.empty((len(robots), nv))
    cdef ArticulatedSystem robot
    cdef double* row = data(out)
    for robot in robots:
        check_width(robot, -1, nv)
        memcpy(row, robot.state.c.v, nv * sizeof(double))
        row += nv
    return out


cdef int check_width(ArticulatedSystem robot, int nq, int nv) except -1:
    """StateError for a robot that surgery changed, or that has left its World."""
    robot.check_alive()
    if (nq >= 0 and robot.model.c.nq != nq) or (nv >= 0 and robot.model.c.nv != nv):
        raise StateError(f"{robot.name!r} is not what it was when its World joined the others: it has nq "
                         f"{robot.model.c.nq}, nv {robot.model.c.nv}; make a new VectorWorld after surgery")
    robot.lock.check_readable()
    return 0


def read(list robots not None, str what not None, int nv):
    """Numbers of the latest step, or of control, (n, nv), fresh: "applied", "tau", "kp", "kd" or "v_ref"."""
    cdef cnp.ndarray out = np.empty((len(robots), nv))
    cdef ArticulatedSystem robot
    cdef SystemControl* c
    cdef const double* x
    cdef double* row = data(out)
    for robot in robots:
        check_width(robot, -1, nv)
        c = &robot.system().control
        x = (robot.system().work.applied if what == "applied" else c.tau_ff if what == "tau" else c.kp if what == "kp"
             else c.kd if what == "kd" else c.v_ref)
        memcpy(row, x, nv * sizeof(double))
        row += nv
    return out


# ---- bodies ----------------------------------------------------------------------------------------


def body_poses(list robots not None, list bodies not None):
    """World poses of these bodies or frames of each, (n, len(bodies), 4, 4), fresh."""
    cdef cnp.ndarray out = np.zeros((len(robots), len(bodies), 4, 4))
    cdef ArticulatedSystem robot
    cdef Placement place
    cdef CData* d
    cdef double* T = data(out)
    cdef Mat3 R
    cdef Vec3 p
    for robot in robots:
        d = moved(robot)
        for name in bodies:
            place = robot.model.find(name)
            R = matmul3(d.R[place.body], place.R)
            p = add3(d.p[place.body], mul3(d.R[place.body], place.p))
            T[0], T[1], T[2], T[3] = R.xx, R.xy, R.xz, p.x
            T[4], T[5], T[6], T[7] = R.yx, R.yy, R.yz, p.y
            T[8], T[9], T[10], T[11] = R.zx, R.zy, R.zz, p.z
            T[15] = 1.0
            T += 16
    return out


def body_velocities(list robots not None, list bodies not None):
    """Angular velocity and that of the origin, world axes, of these bodies or frames, (n, len(bodies), 6), fresh."""
    cdef cnp.ndarray out = np.empty((len(robots), len(bodies), 6))
    cdef ArticulatedSystem robot
    cdef Placement place
    cdef CData* d
    cdef double* y = data(out)
    cdef Vec3 w, v
    for robot in robots:
        d = moved(robot)
        for name in bodies:
            place = robot.model.find(name)
            w, v = d.vel[place.body].w, d.vel[place.body].v
            v = mul3(d.R[place.body], add3(v, cross3(w, place.p)))
            w = mul3(d.R[place.body], w)
            y[0], y[1], y[2], y[3], y[4], y[5] = w.x, w.y, w.z, v.x, v.y, v.z
            y += 6
    return out


cdef CData* moved(ArticulatedSystem robot) except NULL:
    """Where all its bodies are now, and how they move."""
    check_width(robot, -1, -1)
    velocities(robot.state.use(), &robot.state.c)
    poses(&robot.model.c, &robot.state.c)
    return &robot.state.c


# ---- contacts --------------------------------------------------------------------------------------


def contact_forces(list worlds not None, list robots not None, dict links not None):
    """Mean contact force on links over the latest step, world axes, (n, len(links), 3), fresh [N].

    `links` has a column for each name.
    """
    cdef int n_links = len(links)
    cdef cnp.ndarray out = np.zeros((len(robots), n_links, 3))
    cdef World world
    cdef ArticulatedSystem robot
    cdef double* row = data(out)
    for world, robot in zip(worlds, robots, strict=True):
        world.check()
        check_width(robot, -1, -1)
        if world.pipeline.solved:
            add_forces(world, robot, links, row)
        row += 3 * n_links
    return out


cdef int add_forces(World world, ArticulatedSystem robot, dict links, double* row) except -1:
    """Of one World, whose contacts are solved; those of what was moved since count no more."""
    cdef Pipeline steps = world.pipeline
    cdef const ContactPoint* c
    cdef Vec3 f
    cdef int i
    for i in range(steps.found.n):
        c = steps.found.point + i
        a, b = world.registry.shapes.get(c.shape_a), world.registry.shapes.get(c.shape_b)
        if a is None or b is None or (a[0] is not robot and b[0] is not robot):
            continue
        if (<WorldObject> a[0]).moved_at == steps.detections or (<WorldObject> b[0]).moved_at == steps.detections:
            continue
        f = cone_impulse(&steps.assembly.builder.problem, steps.assembly.share[CONTACTS].cone + i)
        if a[0] is robot and a[3] in links:
            add(row + 3 * <int> links[a[3]], 1.0, f, world.scene.dt)
        if b[0] is robot and b[3] in links:
            add(row + 3 * <int> links[b[3]], -1.0, f, world.scene.dt)
    return 0


cdef inline void add(double* x, double sign, Vec3 impulse, double dt) noexcept nogil:
    """The mean force of an impulse, with the bits of Contact.force."""
    x[0] += sign * (impulse.x / dt)
    x[1] += sign * (impulse.y / dt)
    x[2] += sign * (impulse.z / dt)


# ---- control ---------------------------------------------------------------------------------------


def unit(Model model not None, cnp.ndarray q not None, str name not None):
    """Make quaternions and pairs [sine, cosine] in the rows of q (m, nq) of unit length, as `State.set` does.

    StateError, which names the row, for one that is far from it.
    """
    cdef int nq = model.c.nq, k
    cdef double* row = data(q)
    cdef State probe
    if model.c.n_blocks == 0:
        return
    probe = State(model)
    for k in range(cnp.PyArray_SIZE(q) // nq):
        check_blocks(&model.c, row + k * nq, f"row {k} of {name}")
    for k in range(cnp.PyArray_SIZE(q) // nq):
        probe.set(q.reshape(-1, nq)[k])
        memcpy(row + k * nq, probe.c.q, nq * sizeof(double))


cdef int check_control(list robots, int nq, int nv) except -1:
    """All of them can be told something now, or none is."""
    cdef ArticulatedSystem robot
    for robot in robots:
        check_width(robot, nq, nv)
        robot.lock.check_idle()
    return 0


def put_targets(list robots not None, cnp.ndarray q, cnp.ndarray v, int nq, int nv):
    """Targets of PD controllers, (n, width) each or None; of a width below nq or nv they are those of the last ones."""
    cdef ArticulatedSystem robot
    cdef int k = 0, width
    check_control(robots, nq, nv)
    for robot in robots:
        robot.rouse()
        if q is not None:
            width = cnp.PyArray_DIM(q, 1)
            if width < nq:
                robot.start_target()
            memcpy(robot.system().control.q_ref + nq - width, data(q) + k * width, width * sizeof(double))
            robot.targeted = True
        if v is not None:
            width = cnp.PyArray_DIM(v, 1)
            memcpy(robot.system().control.v_ref + nv - width, data(v) + k * width, width * sizeof(double))
        k += 1


def put_forces(list robots not None, cnp.ndarray tau not None, int nv):
    """Feed-forward forces, (n, width); of a width below nv they are those of the last degrees of freedom."""
    cdef ArticulatedSystem robot
    cdef int k = 0, width = cnp.PyArray_DIM(tau, 1)
    check_control(robots, -1, nv)
    for robot in robots:
        robot.rouse()
        memcpy(robot.system().control.tau_ff + nv - width, data(tau) + k * width, width * sizeof(double))
        k += 1


def targets(list robots not None, int nq):
    """q that PD controllers hold to, (n, nq), fresh."""
    cdef cnp.ndarray out = np.empty((len(robots), nq))
    cdef ArticulatedSystem robot
    cdef double* row = data(out)
    for robot in robots:
        check_width(robot, nq, -1)
        memcpy(row, robot.system().control.q_ref if robot.targeted else robot.state.c.q, nq * sizeof(double))
        row += nq
    return out
