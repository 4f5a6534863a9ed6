"""Edits of a robot's mechanism that are noticed and taken in: all numbers anew, in the memory where the old ones are.

What the mechanism says is compiled and checked first, beside the robot; only then is anything changed.
"""

import numpy as np

from rbdyn.errors import MechanismError
from rbdyn.mechanism.editing import editing
from rbdyn.model import State as new_state
from rbdyn.world.objects.joints.closed_loops import closed, ties_trees
from rbdyn.world.objects.joints.said import PER_DOF, joints_say
from rbdyn.world.registry import factories

cimport numpy as cnp
from libc.math cimport isfinite
from libc.string cimport memcpy

from rbdyn.algorithms.inputs.regular cimport check_regular
from rbdyn.arguments.arrays cimport data
from rbdyn.kernels.aba cimport aba_inward
from rbdyn.mechanism._revision cimport Revision
from rbdyn.model.model cimport Model, Placement
from rbdyn.model.renewal cimport same_layout, same_places, take_over
from rbdyn.model.state cimport State
from rbdyn.model.turning cimport can_turn, turned, turned_bodies
from rbdyn.spatial._algebra cimport Mat3, Vec3, add33, matmul3, mul3, outer3, sub3, transpose3
from rbdyn.stepping.joint_forces cimport list_inertias
from rbdyn.stepping.scene cimport System, SystemControl
from rbdyn.world.edits.ends cimport check_ends, move_ends
from rbdyn.world.edits.shapes cimport exchange
from rbdyn.world.surgery.exchange cimport restructure

# numbers of a joint that must fit one another: where a mechanism changes one of them, both become what it says
TOGETHER = (("lower", "upper"), ("friction", "static_friction"), ("mimic_softness", "mimic_damping"),
            ("limit_restitution", "limit_softness", "limit_damping"))


cdef int catch_up(Registry registry) except -1:
    """Take in what was edited of the mechanisms of all robots."""
    cdef ArticulatedSystem robot
    for robot in registry.systems:
        if robot.model.revision_counter.value != robot.model.revision:
            renew(registry, robot)
    return 0


cdef int renew(Registry registry, ArticulatedSystem robot) except -1:
    """Take in what was edited of the mechanism of one; all of it, or nothing."""
    robot.check_alive()
    if robot.model.revision != robot.model.revision_counter.value:
        factories.prepare_bodies(robot.mechanism.bodies)
    registry.lock.begin_edit()
    try:
        with editing(robot.mechanism):                   # what is read first and last is of one time
            if robot.model.revision != robot.model.revision_counter.value:
                renew_now(registry, robot)
                registry.lock.edited = True
    finally:
        registry.lock.end_edit()
    return 0


cdef int renew_now(Registry registry, ArticulatedSystem robot) except -1:
    """The same, within an edit."""
    cdef Model model = robot.model, fresh
    if model.revision_counter.value == model.revision:
        return 0
    robot.state.check_not_stepping()
    if model.mechanism.structure != model.structure:
        return restructure(registry, robot)
    fresh = Model(model.mechanism)
    if not same_layout(model, fresh):
        raise MechanismError(f"{robot.name!r}: a rotor on a loop joint that had none, or none on one that had, changes "
                             "the rows of its loops; add the robot anew")
    return take_in(registry, robot, fresh, said_by(fresh), not same_places(model, fresh), fresh.mechanism.bodies)


cdef int take_back(Registry registry, ArticulatedSystem robot) except -1:
    """An edit of this robot came to nothing, and its mechanism is what it was: so is the robot."""
    if robot.model.revision < 0:                         # some of it was taken in
        return renew_now(registry, robot)
    robot.model.revision = robot.model.revision_counter.value
    return 0


cdef int renew_places(Registry registry, ArticulatedSystem robot) except -1:
    """Take in that one joint was moved or turned, within an edit: what joints say is what it was."""
    return take_in(registry, robot, Model(robot.mechanism), None, True, robot.mechanism.bodies)


cdef int renew_axis(Registry registry, ArticulatedSystem robot, object joint) except -1:
    """Take in that one joint has another axis, within an edit."""
    cdef Model fresh
    if not can_turn(robot.model, joint):
        return renew_places(registry, robot)
    fresh = turned(robot.model, joint)
    return take_in(registry, robot, fresh, None, True, turned_bodies(fresh, joint))


cdef int take_in(Registry registry, ArticulatedSystem robot, Model fresh, dict said, bint moved,
                 object bodies) except -1:
    """Make the robot what `fresh` is, and its joints what they say; None: they say what they said.

    `bodies` are those whose shapes are others, or elsewhere in the internal frame.  If something raises, the Model
    stays stale, and all of this is done again by the next use.
    """
    cdef Model model = robot.model
    q = checked_q(robot, fresh, moved)
    check_ends(registry, robot, fresh)
    exchange(registry, robot, fresh, bodies)
    model.revision = -1
    if said is not None:
        put_said(robot, said)
    if moved:
        move_ends(registry, robot, fresh)
        move_wrenches(robot, model, fresh)
    take_over(model, fresh)
    model.revision = model.revision_counter.value        # so that the state may be set
    if moved:
        robot.state.set(q)
        robot.forget_contacts()
    registry.filters.follow(robot)
    settle(robot)
    model.revision = fresh.revision                      # another thread may have edited on
    return 0


cdef dict said_by(Model fresh):
    """What joints say in a new Model, whatever another thread edits meanwhile: that is taken in next."""
    cdef Revision counter = fresh.revision_counter
    fresh.revision_counter = Revision(fresh.revision)
    try:
        return joints_say(fresh)
    finally:
        fresh.revision_counter = counter


cdef object checked_q(ArticulatedSystem robot, Model fresh, bint moved):
    """The q at which the robot goes on: the present one, loops closed.  Error if its dynamics do not work there."""
    cdef State probe
    cdef Revision counter = fresh.revision_counter
    fresh.revision_counter = Revision(fresh.revision)    # what another thread edits meanwhile is taken in next
    try:
        probe = new_state(fresh)
        probe.set(robot.state.q, robot.state.v)
        probe.c.R[0], probe.c.p[0] = robot.state.c.R[0], robot.state.c.p[0]
        q = np.array(probe.q)
        if moved and fresh.has_loops:
            q = closed(probe, q)
            probe.set(q)
        check_numbers(fresh, probe, data(np.zeros(fresh.c.nv)))
    finally:
        fresh.revision_counter = counter
    return q


cdef int check_numbers(Model model, State state, const double* tau) except -1:
    """Error if masses overflow, or the mass matrix is singular."""
    if not isfinite(model.c.mass * model.c.mass + model.c.trace * model.c.trace):
        raise MechanismError(f"masses and inertias of {model.mechanism.name!r} are too large for float64")
    aba_inward(&model.c, &state.c, tau, NULL, False)
    return check_regular(model, &state.c)


cdef int check_dynamics(ArticulatedSystem robot) except -1:
    """The same of a robot, as its numbers are now."""
    return check_numbers(robot.model, robot.state, robot.system().work.tau)


cdef int move_wrenches(ArticulatedSystem robot, Model model, Model fresh) except -1:
    """External forces act where they did on the bodies, whose internal frames may be others."""
    cdef SystemControl* c = &robot.system().control
    cdef Placement a, b
    cdef Mat3 R
    cdef Vec3 t
    cdef int k
    if not c.has_wrenches:
        return 0
    for k in range(model.c.nb):
        body = model.parts[k][0][0]
        a, b = model.find(body), fresh.find(body)
        R = matmul3(b.R, transpose3(a.R))
        t = sub3(b.p, mul3(R, a.p))
        c.lever[k] = add33(matmul3(R, c.lever[k]), outer3(t, c.wrench[k].f))
    return 0


cdef int put_said(ArticulatedSystem robot, dict said) except -1:
    """Write what joints say now where it is not what they said; the rest stays as it was set."""
    cdef SystemControl* c = &robot.system().control
    cdef dict old = robot.said, columns = {}, changed
    robot.said = said                                    # if something raises below, the next renewal sees what changed
    changed = {name: said[name] != old[name] for name in (*PER_DOF, "effort_limit", "spring_reference")}
    for one in {mimic[1] for mimic in set(said["mimics"]) ^ set(old["mimics"])}:
        changed["mimic_softness"][one] = True            # it follows otherwise now, or another one
    for names in TOGETHER:
        either = np.logical_or.reduce([changed[name] for name in names])
        changed.update(dict.fromkeys(names, either))
    for name in PER_DOF:
        columns[name] = np.where(changed[name], said[name], robot._joint_numbers(name))
    robot.put_numbers(columns)
    effort = said["effort_limit"]
    lower, upper = robot.effort_limits
    write(c.effort_upper, np.where(changed["effort_limit"], effort, upper))
    write(c.effort_lower, np.where(changed["effort_limit"], -effort, lower))
    write(c.q_spring, np.where(changed["spring_reference"], said["spring_reference"], robot._spring_reference()))
    if said["mimics"] != old["mimics"]:
        robot.put_mimics(said["mimics"])
    robot.put_balls(balls_now(robot._ball_limits(), old["balls"], said["balls"]))
    for k, numbers in enumerate(said["loops"]):
        if numbers != old["loops"][k]:
            robot.put_loop(k)
    c.tied = ties_trees(robot.model)
    return 0


cdef int write(double* x, cnp.ndarray a) except -1:
    memcpy(x, data(np.ascontiguousarray(a)), a.size * sizeof(double))
    return 0


cdef list balls_now(list present, list old, list new):
    """Limits of ball joints: what the mechanism says of those of which it says something else than before."""
    before, after = {one[1]: one for one in old}, {one[1]: one for one in new}
    kept = {one[1]: one for one in present if before.get(one[1]) == after.get(one[1])}
    changed = {dof: one for dof, one in after.items() if one != before.get(dof)}
    return [one for _, one in sorted((changed | kept).items())]


cdef int settle(ArticulatedSystem robot) except -1:
    """What follows from its numbers; nothing that was computed with the old ones is used again."""
    cdef System* s = robot.system()
    list_inertias(s, data(robot.said["configuration"]))
    s.work.kept = False
    s.work.parts = 0
    s.d.stage = s.ahead.stage = 0
    robot.state.renewed = robot.model.renewed
    return 0
