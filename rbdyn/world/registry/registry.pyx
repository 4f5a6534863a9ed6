"""Registry: the objects of a World, and where collision and contact find them."""

import operator
import weakref

from rbdyn.arguments import shown
from rbdyn.contact import MaterialTable
from rbdyn.errors import BusyError, CollisionError, Error, RemovedError, unknown_name
from rbdyn.world.arguments import label
from rbdyn.world.messages import LOG
from rbdyn.world.registry import factories
from rbdyn.world.registry.material_pairs import pair_arrays

from cpython.pythread cimport PyThread_get_thread_ident
from libc.string cimport memset

from rbdyn.arguments.arrays cimport data
from rbdyn.collision.broad_phase.filters cimport set_surroundings
from rbdyn.collision.shape_table cimport coming_id
from rbdyn.model._model cimport POSES, VELOCITIES
from rbdyn.stepping.links cimport Acted
from rbdyn.stepping.scene cimport DYNAMIC, SINGLE_BODY, SYSTEM_BODY, PairProperties, Scene
from rbdyn.stepping.sleeping cimport EVERYBODY, wake


cdef long handle_of(WorldObject obj) except? -2:
    """Body handle of the first body of a system, under which solvers know it; -1 for single bodies."""
    return (<ArticulatedSystem> obj).system().handle if isinstance(obj, ArticulatedSystem) else -1


cdef class Registry:
    """Names, body handles, shapes and materials of a World's objects.  An object comes in whole or not at all."""

    def __init__(self, world, CollisionBackend collision not None, EditLock lock not None):
        if self.objects is not None:
            raise Error("a Registry cannot be initialised twice")
        self.memory = SceneMemory()
        self.memory.take_handles(1)                  # handle 0 is the world itself
        self.singles, self.systems, self.shapes = [], [], {}
        self.material_numbers, self.material_revision = {"default": 0}, -1
        self.checked_materials = -1
        self.materials = MaterialTable()
        self.materials._guard = lock.guard
        self.filters = Filters(collision)
        self.collision, self.lock, self.world = collision, lock, weakref.ref(world)
        self.constraints, self.lawful, self.mechanisms = {}, [], weakref.WeakSet()
        self.unpaired, self.said_materials, self.newcomers = set(), set(), []
        self.objects = {}

    # ---- look-ups ----------------------------------------------------------------------------

    cdef object find(self, object name):
        """The object or constraint called `name`; UnknownNameError if there is none."""
        if isinstance(name, str) and name in self.objects:
            return self.objects[name]
        if isinstance(name, str) and name in self.constraints:
            return self.constraints[name]
        raise unknown_name("object", name if isinstance(name, str) else shown(name),
                           [*self.objects, *self.constraints], "this World")

    cdef WorldObject object_in(self, object obj):
        """An object of this World, or the one of that name; Error or RemovedError otherwise."""
        if isinstance(obj, str):
            obj = self.find(obj)
        if not isinstance(obj, WorldObject):
            raise Error(f"obj must be an object of this World, or its name, got {shown(obj)}")
        if (<WorldObject> obj).lock is not self.lock:
            raise RemovedError(f"{obj!r} is not in this World")
        return obj

    # ---- coming ------------------------------------------------------------------------------

    cdef SingleBody add_single(self, object geometries, object mass, object inertia, object body_type, object name):
        """Take in a new single body."""
        cdef SingleBody body = SingleBody.__new__(SingleBody)
        cdef Scene* s = &self.memory.scene
        cdef int handle
        cdef long added = self.added
        geometries, mass, inertia, body_type = factories.checked_body(geometries, mass, inertia, body_type)
        kind = factories.kind_of(geometries)
        self.lock.begin_edit()
        try:
            self.enter(body, name, kind)
            try:
                body.index = self.memory.add_single()
                body.memory = self.memory
                self.singles.append(body)
                handle = self.memory.take_handles(1)
                s.single[body.index].handle = handle
                s.body[handle].kind, s.body[handle].index, s.body[handle].body = SINGLE_BODY, body.index, 0
                body.begin(geometries, mass, inertia, body_type)
                self.register(body, handle, body.name, body.name, geometries, None, body.body().type == DYNAMIC)
                if self.collision.mesh == "hull":
                    factories.warn_of_hulls(body.name, geometries)
                LOG.info("%s %r is added", kind, body.name)
            except BaseException:
                self.remove(body)
                self.added = added
                raise
            self.lock.edited = True
        finally:
            self.lock.end_edit()
        return body

    cdef int add_system(self, ArticulatedSystem robot, object name, bint self_collision) except -1:
        """Take in a system that has been built."""
        cdef Scene* s = &self.memory.scene
        cdef int k, handle
        cdef long added = self.added
        mechanism = robot.mechanism
        if name is None and mechanism.name not in self.objects:
            name = mechanism.name
        self.lock.begin_edit()
        try:
            self.enter(robot, name, mechanism.name)
            try:
                robot.index = self.memory.add_system(&robot.model.c, &robot.state.c)
                robot.memory = self.memory
                self.systems.append(robot)
                self.mechanisms.add(mechanism)
                handle = self.memory.take_handles(robot.model.c.nb)
                s.system[robot.index].handle = handle
                for k in range(robot.model.c.nb):
                    s.body[handle + k].kind = SYSTEM_BODY
                    s.body[handle + k].index, s.body[handle + k].body = robot.index, k
                robot.begin()
                robot.set_gravity(s.gravity)
                robot.self_collides = self_collision
                self.register_system(robot)
                self.newcomers.append(robot)
                if self.collision.mesh == "hull":
                    factories.warn_of_hulls(robot.name, [g for body in mechanism.bodies for g in body.collision])
                LOG.info("%s %r is added", mechanism.name, robot.name)
            except BaseException:
                self.remove(robot)
                self.added = added
                raise
            self.lock.edited = True
        finally:
            self.lock.end_edit()
        return 0

    cdef int enter(self, WorldObject obj, object name, str kind) except -1:
        """Name a new object and take it in."""
        if name is None:
            name = f"{kind}_{self.added}"
            while name in self.objects or name in self.constraints:
                name += "_"
        else:
            self.check_name(name)
        obj.name = str(name)
        obj._world, obj.shape_ids = self.world, []
        self.objects[obj.name] = obj
        obj.lock = self.lock
        self.added += 1
        self.revision += 1
        return 0

    cdef int register_system(self, ArticulatedSystem robot) except -1:
        """Shapes and filters of a system."""
        cdef int k, handle = robot.system().handle, count
        robot.shapes_of = {}
        for body in robot.mechanism.bodies:
            count = len(robot.shape_ids)
            k = robot.model.find(body).body
            carrier = (robot.model.body_names[k - robot.model.base] if k >= robot.model.base
                       else robot.mechanism.root_body.name)
            pose = factories.matrix(robot.model, body)
            self.register(robot, handle + k, str(carrier), body.name, body.collision, pose, k > 0)
            robot.shapes_of[body] = list(zip(body.collision, robot.shape_ids[count:]))
        return self.filters.exclude(robot)

    cdef int register(self, WorldObject obj, int handle, str body, str link, object geometries, object pose,
                      bint dynamic) except -1:
        """Give shapes to the collision backend.  `pose` is the body's, in the frame whose pose the scene gives."""
        cdef int shape_id, material
        cdef bint at_root = (isinstance(obj, ArticulatedSystem)
                             and link == (<ArticulatedSystem> obj).mechanism.root_body.name)
        for item in geometries:
            local = item.pose.matrix if pose is None else pose @ item.pose.matrix
            material = self.material_number(label(item.material, f"material of a shape of {obj.name!r}"))
            self.lose(coming_id(&self.collision.table))
            shape_id = self.checked_id(
                self.collision.add_shape(item.shape, handle, local, item.group, item.mask, dynamic))
            self.memory.make_room_for_shape(shape_id)
            if at_root:
                set_surroundings(&self.collision.table, shape_id, True)
            self.shapes[shape_id] = (obj, body, item.name or body, link)
            obj.shape_ids.append(shape_id)
            self.memory.scene.material[shape_id] = material
        return 0

    cdef int lose(self, int shape_id) except -1:
        """If somebody took the shape of a number that is to be given out of the backend, no object has it any more."""
        cdef WorldObject obj
        if shape_id not in self.shapes:
            return 0
        obj = self.shapes.pop(shape_id)[0]
        if isinstance(obj, SingleBody):
            left = [item for k, item in zip(obj.shape_ids, (<SingleBody> obj).geometries) if k != shape_id]
            (<SingleBody> obj).geometries = tuple(left)
        else:
            for body, entries in (<ArticulatedSystem> obj).shapes_of.items():
                (<ArticulatedSystem> obj).shapes_of[body] = [entry for entry in entries if entry[1] != shape_id]
        obj.shape_ids.remove(shape_id)
        self.world()._forget_shapes([shape_id])
        return 0

    cdef int checked_id(self, object shape_id) except -1:
        """A shape's id, as the collision backend gave it: new, and not far above the ones before."""
        cdef long long limit = 2 * <long long> self.memory.scene.n_shape_ids + 2**20
        if isinstance(shape_id, bool) or not hasattr(type(shape_id), "__index__") or not (
                0 <= operator.index(shape_id) < min(limit, 2**31 - 1)) or shape_id in self.shapes:
            raise CollisionError(f"{type(self.collision).__name__}.add_shape() must return an int of 0 or more that no "
                                 f"shape has, counting up from 0, got {shown(shape_id)}")
        return operator.index(shape_id)

    # ---- going -------------------------------------------------------------------------------

    cdef int remove(self, WorldObject obj) except -1:
        """Take an object out, wholly or half added, and the constraints on it; the caller holds the lock."""
        cdef WorldObject other
        cdef Constraint constraint
        cdef list kind = self.singles if isinstance(obj, SingleBody) else self.systems
        self.revision += 1
        for constraint in [one for one in self.constraints.values() if (<Constraint> one).hangs_on(obj)]:
            self.remove_constraint(constraint)
        present = set(self.collision.ids)
        for shape_id in obj.shape_ids:
            if shape_id in present:                  # or somebody else removed it
                self.collision.remove_shape(shape_id)
            self.memory.scene.material[shape_id] = -1
            del self.shapes[shape_id]
        if any(one is obj for one in kind):
            self.world()._forget_shapes(obj.shape_ids, handle_of(obj))
            self.filters.leave(obj)
            if kind is self.systems:
                self.memory.remove_system(obj.index)
            else:
                self.memory.remove_single(obj.index)
            del kind[obj.index]
            for other in kind[obj.index:]:
                other.index -= 1
            self.filters.find_limits(self.systems)
        del self.objects[obj.name]
        obj.lock = obj.memory = None
        self.release_materials()
        LOG.info("%r is removed", obj.name)
        return 0

    # ---- constraints between objects -----------------------------------------------------------

    cdef int check_name(self, object name) except -1:
        """Error if something of this World is called so."""
        if label(name, "name") in self.objects:
            raise Error(f"this World already has an object named {shown(name)}")
        if name in self.constraints:
            raise Error(f"this World already has a constraint named {shown(name)}")
        return 0

    cdef int add_constraint(self, Constraint constraint, object name, str kind) except -1:
        """Take in a constraint whose struct is filled in, but for its number."""
        self.lock.begin_edit()
        try:
            if name is None:
                name = f"{kind}_{self.linked}"
                while name in self.objects or name in self.constraints:
                    name += "_"
            else:
                self.check_name(name)
            self.linked += 1
            self.revision += 1
            constraint.link.id = self.linked
            self.memory.add_link(constraint.kind, constraint.link)
            constraint.name, constraint._world = str(name), self.world
            constraint.lock, constraint.memory = self.lock, self.memory
            self.constraints[constraint.name] = constraint
            self.find_lawful()
            self.lock.edited = True
        finally:
            self.lock.end_edit()
        return 0

    cdef int remove_constraint(self, Constraint constraint) except -1:
        """Take a constraint out; the caller holds the lock."""
        self.revision += 1
        self.memory.remove_link(constraint.kind, constraint.link)
        del self.constraints[constraint.name]
        constraint.lock = constraint.memory = None
        return self.find_lawful()

    cdef int find_lawful(self) except -1:
        """Which wires ask a law for their tension."""
        self.lawful = [one for one in self.constraints.values() if isinstance(one, Wire) and one.law is not None]
        self.n_lawful = len(self.lawful)
        return 0

    cdef int ask_laws(self) except -1:
        """Let custom wires ask their laws."""
        cdef Wire wire
        for wire in self.lawful:
            wire.ask()
        return 0

    cdef Constraint constraint_in(self, object constraint):
        """A constraint of this World, or the one of that name; None for anything else."""
        if isinstance(constraint, str):
            return self.constraints.get(constraint)
        if isinstance(constraint, Constraint) and (<Constraint> constraint).lock is not self.lock:
            raise RemovedError(f"{constraint!r} is not in this World")
        return constraint if isinstance(constraint, Constraint) else None

    cdef set forget_constraints(self, WorldObject obj):
        """Forget what the constraints on an object did, which was moved by hand; returns their numbers."""
        cdef Constraint constraint
        numbers = set()
        for constraint in self.constraints.values():
            if constraint.hangs_on(obj):
                memset(&constraint.link.done, 0, sizeof(Acted))
                memset(&constraint.link.last, 0, sizeof(Acted))
                numbers.add(constraint.link.id)
        return numbers

    # ---- materials ---------------------------------------------------------------------------

    cdef int material_number(self, str name) except -1:
        """Number of a material; new names join the scene's pairs before the next step."""
        if name not in self.material_numbers:
            self.material_numbers[name] = len(self.material_numbers)
            self.material_revision = self.checked_materials = -1
            self.unpaired.add(name)
        return self.material_numbers[name]

    cdef int release_materials(self) except -1:
        """Forget names of materials that no shape has any more, once they are many."""
        cdef int* material = self.memory.scene.material
        used = sorted({material[shape_id] for shape_id in self.shapes} | {0})
        if len(self.material_numbers) <= 2 * len(used) + 16:
            return 0
        names, place = list(self.material_numbers), {old: new for new, old in enumerate(used)}
        self.material_numbers = {names[old]: new for new, old in enumerate(used)}
        for shape_id in self.shapes:
            material[shape_id] = place[material[shape_id]]
        self.material_revision = -1
        return 0

    # ---- sleep -------------------------------------------------------------------------------

    cdef bint was_edited(self) except -1:
        """Whether anything was since the latest step that what sleeps may stand on."""
        return self.lock.edited or self.memory.slumber.revision != self.collision.table.revision

    cdef int note_edited(self) except -1:
        """Nothing of that is news."""
        self.lock.edited, self.memory.slumber.revision = False, self.collision.table.revision
        return 0

    cdef int wake_edited(self) except -1:
        """Wake everybody if something was edited; and those whose State was set behind the World's back."""
        cdef Scene* s = &self.memory.scene
        cdef int k
        for k in range(s.n_system if s.n_asleep > 0 else 0):
            if not (s.system[k].d.stage & POSES and s.system[k].d.stage & VELOCITIES):
                wake(s, &self.memory.slumber, self.memory.slumber.system[s.system[k].handle].island)
        if not self.was_edited():
            return 0
        self.note_edited()
        if s.sleeping or s.n_asleep > 0:
            wake(s, &self.memory.slumber, EVERYBODY)
            for k in range(s.n_single):
                s.rest[k].still = 0.0
            for k in range(s.n_system):
                self.memory.slumber.system[s.system[k].handle].still = 0.0
        return 0

    # ---- before and after a step ---------------------------------------------------------------

    cdef bint all_moved(self, long since):
        """Whether all that contacts can move was set by hand since that detection."""
        cdef const Scene* s = &self.memory.scene
        cdef int k
        for k in range(s.n_system - 1, -1, -1):        # the last is likely to be set last
            if s.system[k].m.nv > 0 and (<WorldObject> self.systems[k]).moved_at < since:
                return False
        for k in range(s.n_single - 1, -1, -1):
            if s.single[k].type == DYNAMIC and (<WorldObject> self.singles[k]).moved_at < since:
                return False
        return True

    cdef int refresh(self) except -1:
        """What may have changed in Python since the last step: materials."""
        cdef Scene* s = &self.memory.scene
        revision = self.materials.revision
        if self.material_revision != revision:
            self.pair_arrays = pair_arrays(self.materials, self.material_numbers)
            s.pairs.start = <const int*> data(self.pair_arrays[0])
            s.pairs.other = <const int*> data(self.pair_arrays[1])
            s.pairs.index = <const int*> data(self.pair_arrays[2])
            s.pairs.properties = <const PairProperties*> data(self.pair_arrays[3])
            s.pairs.roll = bool(self.pair_arrays[3][:, 5:].any())
            self.material_revision = revision
        return 0

    cdef int freeze(self, bint frozen, bint stepped) except -1:
        """Whether the states of the systems may be set, and whether only this thread may compute with them."""
        cdef ArticulatedSystem robot
        for robot in self.systems:
            robot.state.frozen = frozen
            robot.state.stepper = PyThread_get_thread_ident() if stepped else 0
        return 0

    cdef int check_not_simulated(self) except -1:
        """BusyError if the state of a system is in the middle of `simulate`; only between half steps are all frozen."""
        cdef ArticulatedSystem robot
        for robot in self.systems:
            if robot.state.frozen and not self.lock.half:
                raise BusyError(f"the state of {robot.name!r} is in the middle of simulate; step its World after that")
        return 0
