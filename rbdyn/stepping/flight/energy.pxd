# Energy of an articulated system that turns fast: a step never ends with more of it than free motion and others give.
#
# Constraint impulses are judged with the mass matrix of the step's start.  Joints that turn by some tenths of a radian
# in a step change that matrix, most of all near a singularity, so that the same velocities are worth another energy at
# the end.  Over many such steps a limp robot whose links touch would explode.  What is too much is taken from the
# motion of the joints, so that the momentum of a tree that floats stays; where the ground has a part in it, from all
# motion.

from libc.math cimport INFINITY, fmax, fmin, sqrt
from libc.string cimport memcmp, memcpy

from rbdyn.kernels.configuration cimport difference_joints, integrate_joints
from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.kernels.loops cimport component, row_velocity, rotor_energy
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport floats_on_root, joint_motion
from rbdyn.spatial._algebra cimport (
    Force, Motion, Vec3, add3, add_f, dot3, mul3, mul_i, power, scale3, scale_f, sub_f, tmul3,
)
from rbdyn.spatial.constants cimport load_inertia
from rbdyn.stepping.flight.free cimport fastest_turn, matters, slow_turn
from rbdyn.stepping.flight.midpoint cimport look_ahead
from rbdyn.stepping.flight.momentum cimport momenta_beyond, motion_of
from rbdyn.stepping.freedom cimport is_driven, only_direction
from rbdyn.stepping.joint_forces cimport note_actuators
from rbdyn.stepping.scene cimport MOTOR_IN_ROW, System
from rbdyn.stepping.scheme cimport SEMI_IMPLICIT, Scheme

cdef inline double kinetic(const CModel* m, CData* d, const double* v, const double* extra) noexcept nogil:
    """Of the bodies and rotors [J], and what implicit terms add to the diagonal of M."""
    cdef double twice = 0.0
    cdef int i
    velocities(m, d)
    if m.nr:
        poses(m, d)
        twice = rotor_energy(m, d)
    for i in range(1, m.nb):
        twice += power(d.vel[i], mul_i(load_inertia(m.I_b + i), d.vel[i]))
    for i in range(m.nv):
        twice += (m.rotor[i] + (extra[i] if extra is not NULL else 0.0)) * v[i] * v[i]
    return 0.5 * twice

cdef inline double potential(const CModel* m, CData* d) noexcept nogil:
    """In gravity [J], from the world's origin."""
    cdef Vec3 g = mul3(d.R[0], d.gravity)
    cdef double total = 0.0
    cdef int i
    poses(m, d)
    for i in range(1, m.nb):
        total -= dot3(g, add3(scale3(m.I_b[i].m, d.p[i]), mul3(d.R[i], load_inertia(m.I_b + i).h)))
    return total

cdef inline double energy(const CModel* m, CData* d) noexcept nogil:
    """Kinetic energy and that in gravity [J]."""
    return kinetic(m, d, d.v, NULL) + potential(m, d)

cdef inline bint impulses_act(const System* s) noexcept nogil:
    """Whether constraints changed its velocity in this step."""
    return s.work.active and memcmp(s.work.v_next, s.work.v_free, s.m.nv * sizeof(double)) != 0

cdef inline double freely(System* s, double dt) noexcept nogil:
    """Its energy after the step without constraints [J]."""
    if s.work.parts:
        return s.work.free_energy
    look_ahead(s, s.d.q, s.d.v)
    integrate_joints(s.m, s.ahead.q, s.d.v, 0.5 * dt)
    integrate_joints(s.m, s.ahead.q, s.work.v_free, 0.5 * dt)
    memcpy(s.ahead.v, s.work.v_free, s.m.nv * sizeof(double))
    return energy(s.m, &s.ahead)

cdef inline double from_others(System* s) noexcept nogil:
    """What its contacts with other objects do to its energy, if they add any [J]."""
    cdef double before
    if not s.work.outside:
        return 0.0
    look_ahead(s, s.d.q, s.work.v_free)
    before = kinetic(s.m, &s.ahead, s.work.v_free, s.work.implicit)
    look_ahead(s, s.d.q, s.work.v_next)
    return fmax(0.0, kinetic(s.m, &s.ahead, s.work.v_next, s.work.implicit) - before)

cdef inline double from_motors(const System* s) noexcept nogil:
    """What the actuators that have rows do to its energy, if they add any [J]."""
    cdef double work = 0.0
    cdef int k
    if s.work.n_motor_rows:
        for k in range(s.m.nv):
            if s.work.motor[k] == MOTOR_IN_ROW:
                work += 0.5 * s.work.motor_impulse[k] * (s.work.v_free[k] + s.work.v_next[k])
    return fmax(0.0, work)

cdef inline double from_loop_motors(System* s) noexcept nogil:
    """Likewise the motors of loop joints that have rows [J]."""
    cdef double work = 0.0
    cdef int n, k
    for n in range(s.m.n_loops):
        if s.work.loops.motor[n] == MOTOR_IN_ROW or not s.work.loops.eliminated and is_driven(s.control.loop + n):
            for k in range(s.m.nv):
                s.work.z[k] = 0.5 * (s.work.v_free[k] + s.work.v_next[k])
            look_ahead(s, s.d.q, s.work.z)
            poses(s.m, &s.ahead)
            velocities(s.m, &s.ahead)
            work += s.work.loops.drive[2 * n] * component(row_velocity(&s.ahead, s.m.loops + n),
                                                          only_direction(s.m.loops[n].kind))
    return fmax(0.0, work)

cdef inline bint is_counted(const System* s) noexcept nogil:
    """Whether all that brings energy is known: given wrenches and what acts along loop joints are not."""
    cdef int k
    if s.control.has_wrenches:
        return False
    for k in range(s.m.n_loops):
        if s.control.loop[k].stiffness > 0.0 or is_driven(s.control.loop + k):
            return False
    return True

cdef inline double in_springs(System* s, const double* q) noexcept nogil:
    """Of passive springs, at q [J]."""
    cdef double total = 0.0
    cdef int k
    if s.control.springs:
        difference_joints(s.m, q, s.control.q_spring, s.work.error)
        for k in range(s.m.nv):
            total += 0.5 * s.control.stiffness[k] * s.work.error[k] * s.work.error[k]
    return total

cdef inline double by_actuators(System* s) noexcept nogil:
    """Work of what work.applied holds, on the way to ahead.q [J]."""
    cdef double total = 0.0
    cdef int k
    difference_joints(s.m, s.d.q, s.ahead.q, s.work.error)
    for k in range(s.m.nv):
        total += s.work.applied[k] * s.work.error[k]
    return total

cdef inline double by_others(System* s) noexcept nogil:
    """Work of the impulses that changed v_free to v_next, p . (u + u+) / 2 [J]; p . x is a difference of squares."""
    cdef double more
    cdef int k
    if not s.work.outside:
        return 0.0
    look_ahead(s, s.d.q, s.work.v_next)
    for k in range(s.m.nv):
        s.ahead.v[k] = 2.0 * s.work.v_next[k] - s.work.v_free[k] + s.d.v[k]
    more = kinetic(s.m, &s.ahead, s.ahead.v, s.work.implicit)
    look_ahead(s, s.d.q, s.work.v_next)
    for k in range(s.m.nv):
        s.ahead.v[k] = -s.work.v_free[k] - s.d.v[k]
    return 0.25 * (more - kinetic(s.m, &s.ahead, s.ahead.v, s.work.implicit))

cdef inline void look_at_way(System* s, double late) noexcept nogil:
    """Put the second place of the system where forces did their work: q_next, or before it by `late` [s].

    Work is that along the mean of both velocities: what moves by the new one is ahead of it by half their difference.
    """
    cdef int k
    look_ahead(s, s.work.q_next, s.work.v_next)
    if late > 0.0:
        for k in range(s.m.nv):
            s.work.z[k] = s.d.v[k] - s.work.v_next[k]
        integrate_joints(s.m, s.ahead.q, s.work.z, late)

cdef inline double balance(System* s, double late) noexcept nogil:
    """What its energy is at the end of the step, without that of springs there, if forces alone bring any [J]."""
    cdef double total = energy(s.m, s.d) + in_springs(s, s.d.q) + by_others(s)
    look_at_way(s, late)
    return total + by_actuators(s) - in_springs(s, s.ahead.q)

cdef inline double locked_energy(System* s) noexcept nogil:
    """Kinetic energy that is left if joints stop while the momentum of what floats stays [J]; writes ahead.f, Ic."""
    cdef CData* d = &s.ahead
    cdef double twice = 0.0
    cdef Force h
    cdef int i
    momenta_beyond(s.m, d)
    for i in range(1, s.m.nb):
        if floats_on_root(s.m, i):
            h = add_f(d.f[i], mul_i(d.Ic[i], d.vel[i]))
            twice += power(motion_of(d.Ic + i, h), h)
    return 0.5 * twice

cdef inline void slow_joints(System* s, double share) noexcept nogil:
    """Leave `share` of the joints' velocities, and the momentum of trees that float.  Reads ahead.f, Ic."""
    cdef CData* d = &s.ahead
    cdef double* v
    cdef Motion twist
    cdef Vec3 u, w
    cdef int i, k
    for i in range(1, s.m.nb):
        v = s.work.v_next + s.m.vi[i]
        if floats_on_root(s.m, i):
            twist = motion_of(d.Ic + i, add_f(mul_i(d.Ic[i], d.vel[i]), scale_f(1.0 - share, d.f[i])))
            u = tmul3(d.EJ[i], twist.v)
            w = tmul3(d.EJ[i], twist.w)
            v[0], v[1], v[2], v[3], v[4], v[5] = u.x, u.y, u.z, w.x, w.y, w.z
        else:
            for k in range(s.m.nvi[i]):
                v[k] *= share

cdef inline void slow_all(System* s, double share) noexcept nogil:
    """Leave `share` of all velocities: what parts or sticks at the end of the step does so still."""
    cdef int k
    for k in range(s.m.nv):
        s.work.v_next[k] *= share

cdef inline bint is_limp(const System* s) noexcept nogil:
    """Whether nothing but gravity drives it."""
    cdef int k
    if s.control.pd or s.control.springs or s.control.has_wrenches:
        return False
    for k in range(s.m.nv):
        if s.control.tau_ff[k] != 0.0:
            return False
    for k in range(s.m.n_loops):
        if s.control.loop[k].stiffness > 0.0 or is_driven(s.control.loop + k):
            return False
    return True

cdef inline void leave_kinetic(System* s, double now, double left, bint grounded) noexcept nogil:
    """Change velocities at the end of the step, in s.ahead, so that of the kinetic energy `now` this is left [J].

    What floats keeps its momentum, and so the energy that joints have no part in; joints that stand still do so on.
    They are made faster by a tenth at most.
    """
    cdef double locked, joints
    if not now > 0.0:
        return
    s.work.kept = False                          # the momentum of what is slowed is that of its velocities, to the bit
    if grounded:
        slow_all(s, sqrt(fmax(0.0, left) / now))
        return
    locked = locked_energy(s)
    joints = now - locked
    if joints > 1e-12 * now:                     # or it is rounding
        slow_joints(s, sqrt(fmin(1.2, (left - locked) / joints)) if left > locked else 0.0)

cdef inline void bound_energy(System* s, double dt, Scheme scheme) noexcept nogil:
    """Slow the motion at the end of a fast step in which constraints act, if it has too much energy.

    Flight may err by a thousandth: damping of light links, far too stiff for the step, by more. What moves by its new
    velocity, where constraints act in each step, may not: it would be a thousandth each time.
    """
    cdef bint limp, forced
    cdef double most = INFINITY, now, late = 0.5 * dt if scheme.rule == SEMI_IMPLICIT else 0.0
    if not matters(dt * fmax(s.work.turning, fastest_turn(s.m, s.work.v_next, slow_turn(dt)))):
        return
    limp, forced = is_limp(s), s.work.pushed or impulses_act(s)
    if not (limp or forced):
        return
    if forced:
        most = freely(s, dt) + from_others(s) + from_motors(s) + from_loop_motors(s)
    if is_counted(s):
        note_actuators(s, dt)
        most = fmin(most, balance(s, late) + (0.0 if forced and late > 0.0 else 1e-3 * kinetic(s.m, s.d, s.d.v, NULL)))
    look_at_way(s, late)
    most -= potential(s.m, &s.ahead)
    look_ahead(s, s.work.q_next, s.work.v_next)
    now = kinetic(s.m, &s.ahead, s.work.v_next, NULL)
    if now <= most + 1e-9 * now:
        return
    leave_kinetic(s, now, most, forced and s.work.grounded)
