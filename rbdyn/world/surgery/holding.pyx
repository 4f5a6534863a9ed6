"""Constraints of the World on systems that were exchanged: they follow their bodies, or are lost with them."""

from rbdyn.model.model cimport Placement
from rbdyn.spatial._algebra cimport add3, matmul3, mul3, sub3, tmul3, transpose3
from rbdyn.stepping.constraints.bodies.joints cimport BodyFrame
from rbdyn.stepping.links cimport Anchor
from rbdyn.world.constraints.body_joint cimport BodyJoint
from rbdyn.world.constraints.constraint cimport Constraint
from rbdyn.world.constraints.coupling cimport Coupling
from rbdyn.world.constraints.end cimport End
from rbdyn.world.constraints.wire cimport Wire
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.registry.registry cimport Registry
from rbdyn.world.surgery.draft cimport Draft


cdef list holds_on(Registry registry, list robots):
    """The constraints on these."""
    return [one for one in registry.constraints.values()
            if any([(<Constraint> one).hangs_on(robot) for robot in robots])]


cdef object frame_of(ArticulatedSystem robot, str name):
    """The frame that an end of that name is: what goes on, whatever becomes of the name."""
    place = robot.model.placements[robot.known(name)]
    for key, other in robot.model.placements.items():
        if other is place and not isinstance(key, str):
            return getattr(key, "frame", key)
    return None


cdef object moved_end(End end, list robots, list drafts, object plan):
    """The same end on the system as it is now; itself if it is on no exchanged one, None if its body is gone."""
    cdef Draft draft
    cdef Placement place
    cdef End moved
    if not any([end.obj is robot for robot in robots]):
        return end
    frame = frame_of(end.obj, end.body)
    frame = plan.frames.get(frame, frame)
    for draft in drafts:
        place = draft.model.placements.get(frame)
        if place is not None:
            moved = End.__new__(End)
            moved.obj, moved.body = draft.robot, end.body
            if draft.model.placements.get(end.body) is not place:
                names = [key for key, other in draft.model.placements.items()
                         if other is place and isinstance(key, str)]
                if not names:
                    return None
                moved.body = names[0]
            moved.handle, moved.R, moved.p = draft.handle + place.body, place.R, place.p
            return moved
    return None


cdef bint same_place(End a, End b):
    return (a.p.x == b.p.x and a.p.y == b.p.y and a.p.z == b.p.z and a.R.xx == b.R.xx and a.R.xy == b.R.xy
            and a.R.xz == b.R.xz and a.R.yx == b.R.yx and a.R.yy == b.R.yy and a.R.yz == b.R.yz and a.R.zx == b.R.zx
            and a.R.zy == b.R.zy and a.R.zz == b.R.zz)


cdef int move_anchor(Anchor* anchor, End old, End new) except -1:
    anchor.handle = new.handle
    if not same_place(old, new):
        anchor.at = add3(new.p, mul3(new.R, tmul3(old.R, sub3(anchor.at, old.p))))
    return 0


cdef int move_frame(BodyFrame* frame, End old, End new) except -1:
    frame.handle = new.handle
    if not same_place(old, new):
        frame.p = add3(new.p, mul3(new.R, tmul3(old.R, sub3(frame.p, old.p))))
        frame.R = matmul3(new.R, matmul3(transpose3(old.R), frame.R))
    return 0


cdef object moved_terms(Coupling coupling, list robots, list drafts):
    """(robot, joint's name) -> what it is now, for each coordinate of a coupling; None if one is gone."""
    cdef ArticulatedSystem robot
    cdef Draft draft
    terms = {}
    for robot, name in coupling.coefficients:
        terms[robot, name] = robot, name
        if not any([robot is one for one in robots]):
            continue
        old = next(joint for joint in robot.tree if joint.name == name)
        for draft in drafts:
            now = [joint for joint, (source, was) in draft.origin.items() if source is robot and was is old]
            if now:
                terms[robot, name] = draft.robot, now[0].name
                break
        else:
            return None
    return terms


cdef int move_coupling(Coupling coupling, dict terms) except -1:
    cdef ArticulatedSystem robot
    cdef int i
    coupling.coefficients = {terms[key]: value for key, value in coupling.coefficients.items()}
    for i, (robot, name) in enumerate(coupling.coefficients):
        coupling.c.term[i].handle = robot.system().handle
        coupling.c.term[i].q, coupling.c.term[i].dof = robot.model.joint_q_index(name), robot.model.joint_v_index(name)
        frame = robot.mechanism.find_joint(name).frame_after
        coupling.link.body[i] = robot.system().handle + robot.model.find(frame).body
    coupling.link.holds = len({robot for robot, _ in coupling.coefficients}) > 1
    return 0


cdef list plans_of(list held, list robots, list drafts, object plan):
    """(constraint, what becomes of its ends) for each; None for those that are lost."""
    found = []
    for one in held:
        if isinstance(one, Coupling):
            found.append((one, moved_terms(one, robots, drafts)))
            continue
        ends = tuple([moved_end(end, robots, drafts, plan) for end in (<Constraint> one).held])
        lost = None in ends or len({(<End> end).handle for end in ends}) == 1
        found.append((one, None if lost else ends))
    return found


cdef int move_ends(list planned) except -1:
    """Let constraints hang where their bodies are now."""
    cdef BodyJoint joint
    cdef Wire wire
    cdef int i
    for one, ends in planned:
        if ends is None:
            continue
        if isinstance(one, Coupling):
            move_coupling(one, ends)
            continue
        if isinstance(one, Wire):
            wire = one
            for i in range(wire.wire.n):
                move_anchor(wire.wire.anchor + i, wire.held[i], ends[i])
                wire.wire.link.body[i] = wire.wire.anchor[i].handle
        else:
            joint = one
            move_frame(&joint.c.before, joint.held[0], ends[0])
            move_frame(&joint.c.after, joint.held[1], ends[1])
            joint.c.body[0], joint.c.body[1] = joint.c.before.handle, joint.c.after.handle
        (<Constraint> one).held = ends
    return 0
