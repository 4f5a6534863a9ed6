"""A Model in which the axis of one joint is another one, made of what a Model of the same mechanism knows already.

The internal frame of the body that the joint moves turns with the axis, and so does all that is placed in it.  The
numbers are those that a compilation would write, to the bit.
"""

from rbdyn.mechanism.editing import editing

from libc.string cimport memcpy

from rbdyn.model._model cimport allocate_model
from rbdyn.model.merging cimport put_inertia
from rbdyn.model.model cimport ANY_TURN, Model, Placement
from rbdyn.model.numbers cimport stored3, stored33
from rbdyn.model.part cimport Part, check_sum, merged_inertia, new_part
from rbdyn.model.pose cimport Pose, compose, inverse, pose_of, turn_of
from rbdyn.model.tree cimport canonical
from rbdyn.spatial._algebra cimport transpose3


cdef bint can_turn(Model model, object joint):
    """Whether `turned` knows how: a joint of the tree of one axis, and no loops."""
    return not model.has_loops and joint.num_velocities == 1 and joint.name in model.joint_index


cdef Model turned(Model model, object joint):
    """The Model of the same mechanism, in which `joint` has another axis by now."""
    cdef Model fresh = twin(model)
    cdef Turning turning = Turning.__new__(Turning)
    cdef Placement host = model.placements[joint.frame_before]
    cdef Pose here
    cdef int i = model.joint_index[joint.name] + model.base
    with editing(model.mechanism):
        edge = model.mechanism.edge(joint)
        turning.model, turning.fresh, turning.link, turning.now, turning.parts = model, fresh, i, {}, {}
        here = canonical(joint.joint_type)
        put_tree_pose(fresh, i, placed(host), here)
        here = compose(here, pose_of(edge.successor_pose))
        turning.place(edge.successor, here)
        turning.seat(joint.frame_after, compose(here, inverse(pose_of(edge.successor_pose))))
    parts = [turning.parts[body] for body, _ in model.parts[i]]
    if len(parts) > 1:
        check_sum(parts)
    fresh.parts = list(model.parts)
    fresh.parts[i] = [((<Part> part).body, part) for part in parts]
    put_inertia(fresh, i, merged_inertia(parts))
    fresh.placements = {key: turning.now.get(place, place) for key, place in model.placements.items()}
    fresh.body_placements = [turning.now.get(place, place) for place in model.body_placements]
    return fresh


cdef list turned_bodies(Model fresh, object joint):
    """The bodies that are placed anew."""
    return [body for body, _ in fresh.parts[fresh.joint_index[joint.name] + fresh.base]]


cdef Model twin(Model model):
    """The same numbers in memory of their own, at the mechanism's present revision."""
    cdef Model made = Model.__new__(Model)
    allocate_model(&made.c, model.c.nb, model.c.nq, model.c.nv, model.c.n_loops)
    memcpy(made.c.memory.first, model.c.memory.first, model.c.memory.used)
    made.c.gravity, made.c.mass, made.c.trace = model.c.gravity, model.c.mass, model.c.trace
    made.c.n_blocks, made.c.nc, made.c.nr = model.c.n_blocks, model.c.nc, model.c.nr
    made.mechanism, made.revision_counter = model.mechanism, model.revision_counter
    made.revision, made.structure = model.revision_counter.value, model.structure
    made.sums, made.base, made.has_loops, made.loop_names = {}, model.base, model.has_loops, model.loop_names
    made.body_names, made.joint_names, made.bodies = model.body_names, model.joint_names, model.bodies
    made.joint_index, made._arrays = model.joint_index, model._arrays
    made.q_layout, made.v_layout, made.ready = model.q_layout, model.v_layout, True
    return made


cdef Pose placed(Placement place) noexcept:
    cdef Pose pose
    pose.R, pose.p, pose.plain = place.R, place.p, place.turn != ANY_TURN
    return pose


cdef int put_tree_pose(Model fresh, int i, Pose before, Pose turn) except -1:
    """Where a joint is on its predecessor, at `before`, in the axes of kernels."""
    cdef Pose pose = compose(before, inverse(turn))
    fresh.c.X_tree[i].E, fresh.c.X_tree[i].r = stored33(transpose3(pose.R)), stored3(pose.p)
    return 0


cdef class Turning:
    """What is placed anew on one internal body."""

    cdef Model model, fresh
    cdef int link
    cdef dict now                # Placement -> the new one
    cdef dict parts              # RigidBody -> the new Part

    cdef int seat(self, object key, Pose pose) except -1:
        """A frame at its new place; one that nobody asked for since it was added is none of the Model."""
        cdef Placement made
        old = self.model.placements.get(key)
        if old is None:
            return 0
        made = Placement.__new__(Placement)
        made.body, made.R, made.p, made.turn = self.link, pose.R, pose.p, turn_of(pose)
        made.shifted = bool(made.p.x or made.p.y or made.p.z)
        self.now[old] = made
        return 0

    cdef int place(self, object body, Pose pose) except -1:
        """A body, its frames, and what hangs on it."""
        cdef Pose before, here
        self.seat(body, pose)
        self.parts[body] = new_part(body, pose, True)
        for frame, local in body.frames.values():
            self.seat(frame, compose(pose, pose_of(local)))
        mechanism = self.model.mechanism
        for joint in mechanism.joints_to_children(body):
            edge = mechanism.edge(joint)
            before = compose(pose, pose_of(edge.joint_pose))
            self.seat(joint.frame_before, before)
            if joint.num_velocities:
                put_tree_pose(self.fresh, self.model.joint_index[joint.name] + self.model.base, before,
                              canonical(joint.joint_type))
                continue
            here = compose(before, pose_of(edge.successor_pose))
            self.place(edge.successor, here)
            self.seat(joint.frame_after, compose(here, inverse(pose_of(edge.successor_pose))))
        return 0
