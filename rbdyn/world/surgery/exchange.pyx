"""Systems of a World exchanged for others while it stands between two steps: all of it, or nothing.

What is new is built aside: Model, State, memory, handles of bodies.  Then it changes places with what is there, in the
same robots; what drives it, its shapes, constraints and what solvers remember follow, by joint and by body.  What was
there goes last.  If anything raises on the way, the World goes back to what it was, as to a snapshot.
"""

from rbdyn.mechanism.editing import editing
from rbdyn.model.owners import note_owner
from rbdyn.world.registry import factories
from rbdyn.world.registry.warm_start import renumber_impulses
from rbdyn.world.surgery.following import follow_handles
from rbdyn.world.surgery.plan import Plan

from rbdyn.collision.broad_phase.filters cimport is_excluded, set_surroundings
from rbdyn.kernels.kinematics cimport poses
from rbdyn.model.model cimport Model, Placement
from rbdyn.model.renewal cimport same_place
from rbdyn.stepping.scene cimport SYSTEM_BODY, Scene
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.registry.filters cimport Filters, allow_joined
from rbdyn.world.registry.registry cimport Registry
from rbdyn.world.snapshot.undoing cimport Undo, note_now
from rbdyn.world.surgery.controls cimport carry_control
from rbdyn.world.surgery.draft cimport Draft, link_of
from rbdyn.world.surgery.holding cimport holds_on, move_ends, plans_of
from rbdyn.world.surgery.motions cimport carry_motion


cdef object exchange(Registry registry, list robots, object edit):
    """Let `edit` change the mechanisms of these robots, and take in the Plan that it returns; returns its result."""
    cdef ArticulatedSystem robot
    cdef Undo undo
    registry.lock.begin_edit()
    try:
        registry.check_not_simulated()
        for robot in robots:
            robot.check_alive()
            robot.state.check_not_stepping()
        with editing(*[robot.mechanism for robot in robots]):
            undo = note_now(registry.world()._insides)
            try:
                result = Operation(registry, robots, edit()).run()
            except BaseException:
                undo.carry_out()
                raise
        registry.lock.edited = True
        return result
    finally:
        registry.lock.end_edit()


cdef int restructure(Registry registry, ArticulatedSystem robot) except -1:
    """Take in what the user made of the graph of a robot's mechanism; the caller holds the lock."""
    cdef Undo undo = note_now(registry.world()._insides)
    try:
        Operation(registry, [robot], Plan([(robot.mechanism, robot, None)])).run()
    except BaseException:
        undo.carry_out()
        raise
    return 0


cdef class Before:
    """What a robot was."""

    cdef Model model
    cdef object state, tree, loops, said, shapes_of
    cdef bint targeted, self_collides, meets_parents
    cdef int handle, self_contacts
    cdef list balls

    def __cinit__(self, ArticulatedSystem robot):
        self.model, self.state, self.tree, self.loops = robot.model, robot.state, robot.tree, robot.loops
        self.said, self.shapes_of, self.targeted = robot.said, robot.shapes_of, robot.targeted
        self.handle, self.balls = robot.system().handle, robot._ball_limits()
        self.self_collides, self.meets_parents = robot.self_collides, robot.meets_parents
        self.self_contacts = robot.self_contacts


cdef class Operation:
    """One exchange."""

    cdef Registry registry
    cdef list robots, drafts, held, dropped, doubled
    cdef set ignored
    cdef object plan
    cdef dict before, originals

    def __cinit__(self, Registry registry, list robots, plan):
        self.registry, self.robots, self.plan = registry, robots, plan
        self.drafts, self.dropped = [], []
        self.before = {robot: Before(robot) for robot in robots}
        self.originals, self.doubled = {copy: body for body, copy in plan.bodies.items()}, []

    def run(self):
        """Do it; what the plan returns, or the new robot."""
        self.held = holds_on(self.registry, self.robots)
        try:
            self.prepare()
            planned = plans_of(self.held, self.robots, self.drafts, self.plan)
            self.install()
            self.carry_all()
            self.take_shapes()
            self.separate()
            self.renumber()
        finally:
            for placements, key in self.doubled:
                del placements[key]
        move_ends(planned)
        self.finish([one for one, ends in planned if ends is None])
        return self.plan.result

    # ---- aside -------------------------------------------------------------------------------

    cdef int prepare(self) except -1:
        """All that is new, built aside."""
        cdef ArticulatedSystem robot
        cdef Draft draft
        for mechanism, owner, name in self.plan.parts:
            robot = owner
            fresh = owner is None
            if fresh:
                robot = ArticulatedSystem.__new__(ArticulatedSystem)
                robot.name = mechanism.name if name is None else name
            draft = Draft(mechanism, robot, fresh)
            self.drafts.append(draft)
            self.pair_copies(draft)
            carry_motion(self.robots, draft, self.plan)
        for draft in self.drafts:
            draft.handle = self.registry.memory.take_handles(draft.model.c.nb)
            draft.system.handle = draft.handle
        return 0

    cdef int pair_copies(self, Draft draft) except -1:
        """For as long as this lasts, Models know copies where they know what these are of, and the other way round."""
        cdef ArticulatedSystem robot
        cdef dict here = draft.model.placements, there
        if not self.plan.bodies:
            return 0
        for old, new in [*self.plan.bodies.items(), *self.plan.frames.items()]:
            for robot in self.robots:
                there = robot.model.placements
                if old in there and new in here:
                    here[old], there[new] = here[new], there[old]
                    self.doubled += [(here, old), (there, new)]
        return 0

    # ---- in place of what is there -----------------------------------------------------------

    cdef int install(self) except -1:
        """Systems change places; new ones come last."""
        cdef Draft draft
        cdef ArticulatedSystem robot
        cdef Scene* s = &self.registry.memory.scene
        cdef int k
        for draft in self.drafts:
            robot = draft.robot
            if draft.fresh:
                name, first = self.plan.parts[self.drafts.index(draft)][2], self.robots[0]
                self.registry.enter(robot, name, draft.mechanism.name)
                robot.memory, robot.moved_at = self.registry.memory, (<ArticulatedSystem> first).moved_at
                robot._handles, robot._welded, robot.targeted = {}, {}, False
                robot.index = self.registry.memory.append_system(&draft.system)
                self.registry.systems.append(robot)
                self.registry.mechanisms.add(draft.mechanism)
            else:
                self.registry.memory.swap_system(robot.index, &draft.system)
            robot.model, robot.state, robot.shapes_of = draft.model, draft.state, {}
            note_owner(draft.state, robot)
            robot.tree, robot.loops = draft.mechanism.tree_joints, draft.mechanism.non_tree_joints
            for k in range(draft.model.c.nb):
                s.body[draft.handle + k].kind = SYSTEM_BODY
                s.body[draft.handle + k].index, s.body[draft.handle + k].body = robot.index, k
            robot.set_gravity(s.gravity)
            poses(&draft.model.c, &draft.state.c)
            for k in range(draft.model.c.nb):
                s.pose[draft.handle + k].R, s.pose[draft.handle + k].p = draft.state.c.R[k], draft.state.c.p[k]
        return 0

    cdef size_t old_system(self, ArticulatedSystem robot) except 0:
        """Where the system of a robot is that there was."""
        cdef Draft draft
        for draft in self.drafts:
            if draft.robot is robot:
                return <size_t> &draft.system
        return <size_t> (self.registry.memory.scene.system + robot.index)

    cdef int carry_all(self) except -1:
        """Control, and what acted in the latest step."""
        cdef Draft draft
        cdef ArticulatedSystem robot
        cdef Before before
        old = {}
        for robot in self.robots:
            before = self.before[robot]
            loops = tuple([self.copy_of(joint) for joint in before.loops])
            old[robot] = self.old_system(robot), before.model, loops, before.balls, before.targeted
        for draft in self.drafts:
            draft.robot.begin()
            carry_control(self.robots, draft, old)
        return 0

    cdef object copy_of(self, object joint):
        """What stands for a joint of a mechanism that was copied; others are themselves."""
        return self.plan.became.get(joint, joint) if self.plan.bodies else joint

    # ---- collision ---------------------------------------------------------------------------

    cdef int take_shapes(self) except -1:
        """Shapes follow their bodies under the same ids; what is new comes, what is gone is noted."""
        cdef Draft draft
        cdef Before before
        cdef dict left = {}                              # id -> what it was: (body, Geometry, Before)
        for robot in self.robots:
            before = self.before[robot]
            for body, entries in before.shapes_of.items():
                for item, shape_id in entries:
                    left[shape_id] = body, item, before
        for draft in self.drafts:
            for body in draft.mechanism.bodies:
                draft.robot.shapes_of[body] = self.shapes_on(draft, body, left) if body.collision else []
        self.dropped = list(left)
        return 0

    cdef list shapes_on(self, Draft draft, object body, dict left):
        """(Geometry, id) of each shape of a body."""
        cdef Placement place = draft.model.placements[body]
        cdef Before before
        cdef int handle = draft.handle + place.body
        cdef bint dynamic = place.body > 0
        cdef list known = []
        for before in self.before.values():
            known += before.shapes_of.get(self.originals.get(body, body), ())
        carrier = str(draft.model.body_names[max(place.body - draft.model.base, 0)])
        entries = []
        for item in body.collision:
            if body in self.originals:                   # the shapes of a copy are copies, in the same order
                found = known[len(entries)][1]
            else:
                found = next((i for old, i in known if old is item and i in left), None)
            if found is None:
                found = next((i for i, (_, old, _) in left.items()
                              if old.shape is item.shape and old.name == item.name and old is not item), None)
            if found is None:
                count, frame = len(draft.robot.shape_ids), factories.matrix(draft.model, body)
                self.registry.register(draft.robot, handle, carrier, body.name, [item], frame, dynamic)
                found = draft.robot.shape_ids[count]
                set_surroundings(&self.registry.collision.table, found, body is draft.mechanism.root_body)
            else:
                was, old, before = left.pop(found)
                stays = old is item and was is body and same_place(before.model.placements[was], place)
                pose = None if stays else factories.matrix(draft.model, body) @ item.pose.matrix
                self.registry.collision.move_shape(found, handle, pose, dynamic)
                self.registry.shapes[found] = draft.robot, carrier, item.name or carrier, body.name
                set_surroundings(&self.registry.collision.table, found, body is draft.mechanism.root_body)
            entries.append((item, found))
        return entries

    cdef int separate(self) except -1:
        """Pairs of bodies that never collide: what was said of bodies goes on with them."""
        cdef Draft draft
        cdef Filters filters = self.registry.filters
        self.ignored = filters.ignored
        filters.ignored = self.moved_pairs()
        for draft in self.drafts:
            self.settle_filters(draft)
            filters.exclude(draft.robot)
        for pair in filters.ignored - self.ignored:
            one, other = pair
            if one[0] is not other[0]:
                self.registry.collision.exclude(filters.handle_of(one), filters.handle_of(other))
        return 0

    cdef set moved_pairs(self):
        """The pairs that users said never collide, as they are now."""
        moved = set()
        for pair in self.ignored:
            new = frozenset([self.moved_part(part) for part in pair])
            if None not in new and len(new) == 2:
                moved.add(new)
        return moved

    cdef object moved_part(self, tuple part):
        """(object, link) as it is now; None if it is gone."""
        cdef Draft draft
        if part[0] not in self.before:
            return part
        for draft in self.drafts:
            place = draft.model.placements.get(part[1])
            if place is not None:
                return draft.robot, draft.model.parts[place.body][0][0]
        return None

    cdef int settle_filters(self, Draft draft) except -1:
        """Whether its bodies collide with one another: as before, each with those of the robot that it was of."""
        cdef ArticulatedSystem robot = draft.robot, source
        cdef Before before
        here = [parts[0][0] for parts in draft.model.parts]
        sources = [one for one in self.robots
                   if any([body in (<Before> self.before[one]).model.placements for body in here])] or self.robots[:1]
        before = self.before[sources[0]]
        robot.meets_parents, robot.self_contacts = before.meets_parents, before.self_contacts
        shy = [one for one in sources if not (<Before> self.before[one]).self_collides]
        robot.self_collides = len(shy) < len(sources)
        if robot.self_collides:
            for source in shy:
                links = [link for link in here if link in (<Before> self.before[source]).model.placements]
                pairs = [((robot, a), (robot, b)) for a in links for b in links if a is not b]
                self.registry.filters.ignored |= {frozenset(pair) for pair in pairs}
        return 0

    # ---- solvers -----------------------------------------------------------------------------

    cdef int renumber(self) except -1:
        """What solvers remember of joints, limits and loops is of the same ones, as they are numbered now."""
        cdef Draft draft
        cdef Before before
        cdef int k
        dofs, loops = {}, {}
        for draft in self.drafts:
            for joint, (robot, old) in draft.origin.items():
                before = self.before[robot]
                first = before.model.c.vi[link_of(before.model, old)]
                now = draft.model.c.vi[link_of(draft.model, joint)]
                for k in range(<int> joint.num_velocities):
                    dofs[before.handle, first + k] = draft.handle, now + k
            here = {joint: k for k, joint in enumerate(draft.mechanism.non_tree_joints)}
            for known in self.before.values():
                before = known
                for k, joint in enumerate(before.loops):
                    if self.copy_of(joint) in here:
                        loops[before.handle, k] = draft.handle, here[self.copy_of(joint)]
        world = self.registry.world()
        handles = {(<Before> one).handle for one in self.before.values()}
        for solver in (world.contact, world.position_solver):
            renumber_impulses(solver, handles, dofs, loops)
        return 0

    # ---- the end -----------------------------------------------------------------------------

    cdef int mix(self, int handle, int n) except -1:
        """Bodies of a run of handles that goes may collide: others will have these."""
        cdef int a, b
        allow_joined(self.registry.collision, handle, n)
        for b in range(n):
            for a in range(b):
                if is_excluded(&self.registry.collision.table, handle + a, handle + b):
                    self.registry.collision.allow(handle + a, handle + b)
        return 0

    cdef int old_handle(self, tuple part) except -1:
        """Body handle that (object, link) had."""
        cdef Before before
        if part[0] not in self.before:
            return self.registry.filters.handle_of(part)
        before = self.before[part[0]]
        return before.handle + before.model.placements[part[1]].body

    cdef int finish(self, list lost) except -1:
        """What was there goes."""
        cdef Draft draft
        cdef Before before
        cdef ArticulatedSystem robot
        cdef WorldObject other
        cdef Registry registry = self.registry
        registry.revision += 1
        for one in lost:
            registry.remove_constraint(one)
        staying = {draft.robot for draft in self.drafts}
        for robot in self.robots:
            before = self.before[robot]
            self.mix(before.handle, before.model.c.nb)
            if robot in staying:
                registry.memory.free_handles.append((before.model.c.nb, before.handle))
        for pair in self.ignored - registry.filters.ignored:
            a, b = [self.old_handle(part) for part in pair]
            registry.collision.allow(a, b)
        world = registry.world()
        present = set(registry.collision.ids) if self.dropped else ()
        for shape_id in self.dropped:
            if shape_id in present:
                registry.collision.remove_shape(shape_id)
            registry.memory.scene.material[shape_id] = -1
            del registry.shapes[shape_id]
        if self.dropped:
            world._forget_shapes(self.dropped)
        for draft in self.drafts:
            draft.robot.shape_ids = [i for entries in draft.robot.shapes_of.values() for _, i in entries]
        known = [(robot, robot._handles) for robot in self.robots]
        for robot in self.robots:
            robot._handles = {}                          # a new one: snapshots keep the old
        follow_handles(known, [draft.robot for draft in self.drafts], self.plan)
        for robot in self.robots:
            if robot not in staying:
                registry.memory.remove_system(robot.index)
                del registry.systems[robot.index]
                for other in registry.systems[robot.index:]:
                    other.index -= 1
                del registry.objects[robot.name]
                registry.filters.taken.pop(robot, None)
                robot.lock = robot.memory = None
                robot.shape_ids = []
        for draft in self.drafts:
            draft.model.revision_counter = draft.mechanism._revision
            if draft.fresh and self.plan.result is None:
                self.plan.result = draft.robot
        registry.filters.find_limits(registry.systems)
        return registry.release_materials()
