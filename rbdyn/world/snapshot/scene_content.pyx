"""What of a scene is in a snapshot: what things are made of, where they are, how they are driven, what they did.

Scratch that every step writes anew is not.  Indices, handles and sizes are not either: they are who is there
(members.pyx), and a snapshot fits only where they are the same.
"""

from rbdyn.archive cimport LOAD, Archive, keep, keep_count
from rbdyn.model._model cimport CLoop, CModel
from rbdyn.spatial._algebra cimport Mat3, Vec3
from rbdyn.stepping.constraints.bodies.joints cimport BodyJoint
from rbdyn.stepping.constraints.bodies.wire cimport Wire, wire_of
from rbdyn.stepping.constraints.joints.couplings cimport Coupling
from rbdyn.stepping.constraints.joints.dry_friction cimport list_friction
from rbdyn.stepping.constraints.joints.limits cimport list_limits
from rbdyn.stepping.constraints.joints.velocity_limits cimport list_velocity_limits
from rbdyn.stepping.freedom cimport Freedom, Softness
from rbdyn.stepping.links cimport COUPLING_LINK, JOINT_LINK, N_LINK_KINDS, WIRE_LINK, Acted, Link
from rbdyn.stepping.scene cimport (
    JOINT_FORCES, BallLimit, Mimic, Rest, Scene, SingleControl, SingleParameters, SingleScratch, SingleState,
    System, SystemControl, SystemScratch,
)
from rbdyn.stepping.scheme cimport make_scheme
from rbdyn.stepping.wrenches cimport system_clear_wrenches


cdef void keep_settings(Archive* a, Scene* s) noexcept:
    """How steps are taken."""
    keep(a, &s.dt, sizeof(double))
    keep(a, &s.gravity, sizeof(Vec3))
    keep(a, &s.scheme.rule, sizeof(int))
    keep(a, &s.erp, sizeof(double))
    keep(a, &s.erp2, sizeof(double))
    keep(a, &s.slop, sizeof(double))
    keep(a, &s.erp_speed, sizeof(double))
    keep(a, &s.sleeping, sizeof(bint))
    keep(a, &s.sleep_time, sizeof(double))
    keep(a, &s.sleep_speed, sizeof(double))
    if a.mode == LOAD:
        s.scheme = make_scheme(s.scheme.rule)


# ---- single bodies -----------------------------------------------------------------------------

cdef void keep_singles(Archive* a, Scene* s) noexcept:
    """All single bodies."""
    cdef SingleParameters* body
    cdef SingleScratch* work
    cdef int k
    keep(a, s.single_state, s.n_single * sizeof(SingleState))
    keep(a, s.single_control, s.n_single * sizeof(SingleControl))
    keep(a, s.rest, s.n_single * sizeof(Rest))
    keep(a, &s.n_asleep, sizeof(int))
    keep(a, &s.islands, sizeof(long))
    if a.mode == LOAD:
        s.renewals += 1
    for k in range(s.n_single):
        body, work = s.single + k, s.single_scratch + k
        keep(a, &body.type, sizeof(int))
        keep(a, &body.mass, sizeof(double))
        keep(a, &body.I_b, sizeof(body.I_b))
        keep(a, &body.inverse_I_b, sizeof(body.inverse_I_b))
        keep(a, &body.isotropic, sizeof(bint))
        keep(a, &work.acceleration, sizeof(Vec3))
        keep(a, &work.angular_acceleration, sizeof(Vec3))


# ---- articulated systems -----------------------------------------------------------------------

cdef void keep_model(Archive* a, CModel* m) noexcept:
    """Its numbers; which bodies and joints it has is not asked here."""
    cdef CLoop* loop
    cdef int k
    keep(a, &m.gravity, sizeof(m.gravity))
    keep(a, m.X_tree, m.nb * sizeof(m.X_tree[0]))
    keep(a, m.I_b, m.nb * sizeof(m.I_b[0]))
    keep(a, m.parameter, m.nb * sizeof(double))
    keep(a, &m.mass, sizeof(double))
    keep(a, &m.trace, sizeof(double))
    keep(a, m.rotor, m.nv * sizeof(double))
    for k in range(m.n_loops):
        loop = m.loops + k
        keep(a, &loop.parameter, sizeof(double))
        keep(a, &loop.R_before, sizeof(loop.R_before))
        keep(a, &loop.p_before, sizeof(loop.p_before))
        keep(a, &loop.R_after, sizeof(loop.R_after))
        keep(a, &loop.p_after, sizeof(loop.p_after))
        keep(a, &loop.rotor, sizeof(double))


cdef void keep_state(Archive* a, System* r) noexcept:
    """Where it is; all that was computed from another place is void."""
    keep(a, &r.d.gravity, sizeof(Vec3))
    keep(a, r.d.R, sizeof(Mat3))
    keep(a, r.d.p, sizeof(Vec3))
    keep(a, r.d.q, r.m.nq * sizeof(double))
    keep(a, r.d.v, r.m.nv * sizeof(double))
    if a.mode == LOAD:
        r.d.stage = 0
        r.work.kept = False


cdef void keep_control(Archive* a, System* r) noexcept:
    """How it is driven.  Its arrays of numbers lie one behind the other, from kp to the loop joints' (scene.pxd)."""
    cdef SystemControl* c = &r.control
    cdef int n_mimics, n_balls
    keep(a, &c.pd, sizeof(bint))
    keep(a, &c.motor_limits, sizeof(bint))
    keep(a, &c.springs, sizeof(bint))
    keep(a, &c.inloop, sizeof(bint))
    keep(a, &c.tied, sizeof(bint))
    keep(a, c.kp, <char*> c.loop - <char*> c.kp)
    keep(a, c.loop, r.m.n_loops * sizeof(Freedom))
    keep(a, c.soft, 2 * r.m.n_loops * sizeof(Softness))
    n_mimics = keep_count(a, c.n_mimics, r.m.nv)
    keep(a, c.mimic, n_mimics * sizeof(Mimic))
    n_balls = keep_count(a, c.n_balls, r.m.nb)
    keep(a, c.ball, n_balls * sizeof(BallLimit))
    keep(a, r.work.at_balls, 4 * n_balls * sizeof(double))
    if a.mode == LOAD:
        c.n_mimics, c.n_balls = n_mimics, n_balls
        list_limits(r)
        list_velocity_limits(r)
        list_friction(r)


cdef void keep_wrenches(Archive* a, System* r) noexcept:
    """External forces of the coming step."""
    cdef int n = keep_count(a, r.m.nb if r.control.has_wrenches else 0, r.m.nb)
    if a.mode == LOAD:
        system_clear_wrenches(r)
        r.control.has_wrenches = n > 0
    keep(a, r.control.wrench, n * sizeof(r.control.wrench[0]))
    keep(a, r.control.lever, n * sizeof(r.control.lever[0]))


cdef void keep_readings(Archive* a, System* r) noexcept:
    """What acted in the latest step, and where it began."""
    cdef SystemScratch* w = &r.work
    cdef size_t nv = r.m.nv * sizeof(double)
    cdef int loaded
    keep(a, w.applied, nv)
    keep(a, w.by_rows, JOINT_FORCES * nv)
    keep(a, w.passive, nv)
    keep(a, w.acceleration, nv)
    keep(a, w.loops.force, 6 * r.m.n_loops * sizeof(double))
    keep(a, w.loops.drive, 2 * r.m.n_loops * sizeof(double))
    keep(a, &w.lasted, sizeof(double))
    keep(a, &w.took, sizeof(double))
    keep(a, w.q_start, r.m.nq * sizeof(double))
    keep(a, w.v_start, nv)
    keep(a, w.v_next, nv)
    keep(a, w.extra, nv)
    loaded = keep_count(a, w.loaded, 1)
    keep(a, w.loads, loaded * r.m.nb * sizeof(w.loads[0]))
    if a.mode == LOAD:
        w.loaded = loaded


cdef void keep_systems(Archive* a, Scene* s) noexcept:
    """All articulated systems."""
    cdef System* r
    cdef int k
    for k in range(s.n_system):
        r = s.system + k
        keep_model(a, <CModel*> r.m)
        keep_state(a, r)
        keep_control(a, r)
        keep_wrenches(a, r)
        keep_readings(a, r)


# ---- constraints between bodies ----------------------------------------------------------------

cdef void keep_wire(Archive* a, Wire* w) noexcept:
    keep(a, &w.length, sizeof(double))
    keep(a, &w.speed, sizeof(double))
    keep(a, &w.restitution, sizeof(double))
    keep(a, &w.stiffness, sizeof(double))
    keep(a, &w.damping, sizeof(double))


cdef void keep_links(Archive* a, Scene* s) noexcept:
    """All constraints between bodies: what they are set to, and what they did in the two latest steps."""
    cdef Link* link
    cdef int kind, k
    for kind in range(N_LINK_KINDS):
        for k in range(s.link[kind].n):
            link = s.link[kind].item[k]
            keep(a, &link.done, sizeof(Acted))
            keep(a, &link.last, sizeof(Acted))
            if kind == WIRE_LINK:
                keep_wire(a, wire_of(s, k))
            elif kind == JOINT_LINK:
                keep(a, &(<BodyJoint*> link).freedom, sizeof(Freedom))
                keep(a, &(<BodyJoint*> link).soft, 2 * sizeof(Softness))
            elif kind == COUPLING_LINK:
                keep(a, &(<Coupling*> link).offset, sizeof(double))
                keep(a, &(<Coupling*> link).soft, sizeof(Softness))
