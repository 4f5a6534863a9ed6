"""Who is in a World, noted so that it can be so again: removed objects come back, and objects added since leave.

Surgery gave robots another Model, State and memory.  They get back the Model and State that they had, whose mechanism
is made what it was, and new memory.
"""

import hashlib

from rbdyn.errors import BusyError, SnapshotError
from rbdyn.mechanism import notes
from rbdyn.world.surgery.following import return_handles

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memset

from rbdyn.collision.noted_shapes cimport noted_shapes
from rbdyn.memory cimport grow
from rbdyn.model.model cimport Model
from rbdyn.model.state cimport State
from rbdyn.stepping.links cimport N_LINK_KINDS
from rbdyn.stepping.scene cimport BodyHandle, Scene, SingleScratch
from rbdyn.world.constraints.constraint cimport Constraint
from rbdyn.world.edits.ends cimport note_of_ends, put_back_ends
from rbdyn.world.edits.notes cimport note_of, put_back_numbers
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.objects.scene_memory cimport SceneMemory
from rbdyn.world.objects.single_body cimport SingleBody
from rbdyn.world.registry.registry cimport Registry


cdef bytes copied(const void* data, size_t size):
    return PyBytes_FromStringAndSize(<const char*> data, size) if size > 0 else b""


cdef bint is_same(bytes noted, const void* data, size_t size):
    return <size_t> PyBytes_GET_SIZE(noted) == size and memcmp(PyBytes_AS_STRING(noted), data, size) == 0


cdef list own_contacts_of(ArticulatedSystem robot):
    """Whether it collides with itself, its neighbours with one another, in how many points, and which pairs do not."""
    return [bool(robot.self_collides), bool(robot.meets_parents), robot.self_contacts,
            [list(pair) for pair in robot.mechanism.ignored_collisions]]


cdef Members members_of(Insides inside):
    """Those of now; the ones noted last if nothing has changed."""
    cdef Members m = inside.members
    cdef Registry registry = inside.registry
    cdef Scene* s = &registry.memory.scene
    cdef SingleBody body
    cdef ArticulatedSystem robot
    if m is not None and m.are_present(inside):
        return m
    m = Members.__new__(Members)
    m.registry_revision, m.collision_shapes = registry.revision, noted_shapes(inside.pipeline.collision)
    m.added, m.linked = registry.added, registry.linked
    m.objects, m.constraints, m.shapes = dict(registry.objects), dict(registry.constraints), dict(registry.shapes)
    m.singles, m.systems = list(registry.singles), list(registry.systems)
    m.handles, m.shape_ids, m.geometries = [], [], []
    m.models, m.states, m.parameters, m.numbers, m.own_contacts = [], [], [], [], []
    m.ends = [note_of_ends(one) for one in m.constraints.values()]
    for body in m.singles:
        m.handles.append(s.single[body.index].handle)
        m.shape_ids.append(list(body.shape_ids))
        m.geometries.append(body.geometries)
    for robot in m.systems:
        m.handles.append(s.system[robot.index].handle)
        m.shape_ids.append(list(robot.shape_ids))
        m.models.append(robot.model)
        m.states.append(robot.state)
        m.parameters.append(notes.noted(robot.model.mechanism))
        m.numbers.append(note_of(robot))
        m.own_contacts.append(own_contacts_of(robot))
    m.material_numbers, m.ignored = dict(registry.material_numbers), set(registry.filters.ignored)
    m.free_handles = list(registry.memory.free_handles)
    m.bodies = copied(s.body, s.n_bodies * sizeof(BodyHandle))
    m.material = copied(s.material, s.n_shape_ids * sizeof(int))
    inside.members = m
    return m


cdef class Members:
    """The objects, constraints and shapes of one World at one time.  It keeps them alive."""

    cdef bint are_present(self, Insides inside) except -1:
        """Whether these, and no others, are in the World, with the parameters that they had."""
        cdef Registry registry = inside.registry
        cdef Scene* s = &registry.memory.scene
        cdef ArticulatedSystem robot
        cdef int k
        if self.registry_revision != registry.revision or not self.collision_shapes.are_present(
                inside.pipeline.collision):
            return False
        if not is_same(self.material, s.material, s.n_shape_ids * sizeof(int)):
            return False
        for k in range(s.n_system):
            robot = registry.systems[k]
            if robot.model is not self.models[k] or not notes.are_noted(self.parameters[k]):
                return False
        return True

    cdef int check_alike(self, Insides inside) except -1:
        """Error if one of them cannot be again what it was."""
        cdef ArticulatedSystem robot
        cdef State state
        cdef int k
        for k in range(len(self.systems)):
            robot, state = self.systems[k], self.states[k]
            if state.frozen:
                raise BusyError(f"the state that {robot.name!r} had is in the middle of simulate; go back after that")
            why = notes.hindrance(self.parameters[k:k + 1], inside.registry.mechanisms)
            if why:
                raise SnapshotError(f"{robot.name!r} cannot be what it was when this snapshot was taken: {why}, of no "
                                    "robot of this World")
        return 0

    cdef int put_back(self, Insides inside) except -1:
        """Make them the members of the World again, with numbers that hold anything; `check_alike` has passed."""
        with notes.alone(self.parameters):
            return self.put_all(inside)

    cdef int put_all(self, Insides inside) except -1:
        """The same; nobody else edits the mechanisms."""
        cdef Registry registry = inside.registry
        cdef ArticulatedSystem robot
        exchanged, asked = bool(notes.regrouped(self.parameters)), list(registry.systems)
        registry.revision += 1                       # from here on they are not those who were there
        self.put_systems(inside)                     # may raise for want of memory, and changes nothing then
        self.put_objects(inside)
        self.put_shapes(inside)
        notes.put_back(self.parameters)
        known = [(robot, robot._handles) for robot in asked] if exchanged else []
        for robot, note in zip(self.systems, self.numbers, strict=True):
            put_back_numbers(robot, note)
        for robot in self.systems:
            registry.mechanisms.add(robot.model.mechanism)
        for constraint, note in zip(self.constraints.values(), self.ends, strict=True):
            put_back_ends(constraint, note)
        if exchanged:
            return_handles(known, self.systems)
        registry.filters.ignored, registry.filters.taken = set(self.ignored), {}
        registry.filters.find_limits(registry.systems)
        registry.find_lawful()
        registry.material_revision = -1
        registry.revision += 1
        self.registry_revision = registry.revision
        inside.members = self
        return 0

    cdef int put_systems(self, Insides inside) except -1:
        """The scene's systems and room for its single bodies."""
        cdef Registry registry = inside.registry
        cdef SceneMemory memory = registry.memory
        cdef Scene* s = &memory.scene
        cdef int before = s.n_system, k, n = len(self.systems)
        cdef ArticulatedSystem robot
        cdef Model model
        cdef State state
        cdef int* wanted = NULL
        cdef size_t room = 0
        try:
            memory.make_room_for_singles(len(self.singles))
            memory.make_room_for_bodies(PyBytes_GET_SIZE(self.bodies) // sizeof(BodyHandle))
            memory.make_room_for_shape(PyBytes_GET_SIZE(self.material) // sizeof(int) - 1)
            grow(<void**> &wanted, &room, n, sizeof(int))
            for k in range(n):
                robot = self.systems[k]
                model, state = self.models[k], self.states[k]
                if robot.lock is None or s.system[robot.index].m != &model.c or s.system[robot.index].d != &state.c:
                    wanted[k] = memory.add_system(&model.c, &state.c)
                    s.system[wanted[k]].handle = self.handles[len(self.singles) + k]
                else:
                    wanted[k] = robot.index
            memory.choose_systems(wanted, n)
        except BaseException:
            for k in range(s.n_system - 1, before - 1, -1):
                s.system[k].handle = -1
                memory.remove_system(k)
            raise
        finally:
            free(wanted)
        return 0

    cdef int put_objects(self, Insides inside) except -1:
        """Names, indices and handles."""
        cdef Registry registry = inside.registry
        cdef Scene* s = &registry.memory.scene
        cdef WorldObject obj
        cdef Constraint constraint
        cdef int k
        for obj in registry.objects.values():
            obj.lock = obj.memory = None
        for constraint in registry.constraints.values():
            constraint.lock = constraint.memory = None
        for k in range(N_LINK_KINDS):
            s.link[k].n = 0
        for obj, ids in zip(self.singles + self.systems, self.shape_ids, strict=True):
            obj.lock, obj.memory, obj._world = registry.lock, registry.memory, registry.world
            obj.shape_ids = list(ids)
        for constraint in self.constraints.values():
            constraint.lock, constraint.memory, constraint._world = registry.lock, registry.memory, registry.world
            registry.memory.add_link(constraint.kind, constraint.link)
        registry.objects, registry.constraints = dict(self.objects), dict(self.constraints)
        registry.singles, registry.systems = list(self.singles), list(self.systems)
        registry.memory.free_handles = list(self.free_handles)
        s.n_single = len(self.singles)
        s.n_movers = 0
        s.renewals += 1
        memset(s.single_scratch, 0, s.n_single * sizeof(SingleScratch))
        for k in range(s.n_single):
            (<SingleBody> self.singles[k]).index = k
            (<SingleBody> self.singles[k]).geometries = self.geometries[k]
            s.single[k].handle = self.handles[k]
        for k in range(s.n_system):
            (<ArticulatedSystem> self.systems[k]).index = k
        s.n_bodies = PyBytes_GET_SIZE(self.bodies) // sizeof(BodyHandle)
        memcpy(s.body, PyBytes_AS_STRING(self.bodies), PyBytes_GET_SIZE(self.bodies))
        return 0

    cdef int put_shapes(self, Insides inside) except -1:
        """The shapes, the pairs that do not collide, and materials."""
        cdef Registry registry = inside.registry
        cdef Scene* s = &registry.memory.scene
        cdef int k, n = PyBytes_GET_SIZE(self.material) // sizeof(int)
        self.collision_shapes.put_back(inside.pipeline.collision)
        registry.shapes, registry.material_numbers = dict(self.shapes), dict(self.material_numbers)
        for k in range(n, s.n_shape_ids):
            s.material[k] = -1
        s.n_shape_ids = max(s.n_shape_ids, n)
        memcpy(s.material, PyBytes_AS_STRING(self.material), PyBytes_GET_SIZE(self.material))
        return 0

    cdef tuple description(self):
        """What a World must have for a snapshot of this one to fit: (what, name, details) of each member."""
        cdef Constraint constraint
        cdef dict shapes
        cdef int k, n = len(self.singles)
        if self.said is not None:
            return self.said
        shapes = described_shapes(self.collision_shapes.said(), self.material, list(self.material_numbers))
        said = []
        for k, obj in enumerate(self.singles + self.systems):
            its = [shapes[shape_id] for shape_id in self.shape_ids[k] if shape_id in shapes]
            details = ["single body"] if k < n else described_model(self.models[k - n]) + self.own_contacts[k - n]
            said.append(("object", obj.name, (*details, self.handles[k], *its)))
        for constraint, (_, _, bodies, _) in zip(self.constraints.values(), self.ends, strict=True):
            bodies = numbers_in(bodies)
            said.append(("constraint", constraint.name, (type(constraint).__name__, constraint.link.id, *bodies)))
        said.append(("setting", "pairs that never collide", tuple(described_pairs(self.ignored))))
        self.said = tuple(said)
        return self.said


cdef list numbers_in(bytes noted):
    """Those of an array of int."""
    cdef const int* number = <const int*> PyBytes_AS_STRING(noted)
    return [number[k] for k in range(PyBytes_GET_SIZE(noted) // sizeof(int))]


cdef list described_pairs(set ignored):
    """Pairs of links by name, in an order of their own."""
    return sorted([sorted([[obj.name, "" if link is None else link.name] for obj, link in pair]) for pair in ignored])


cdef list described_model(object model):
    """Which bodies and joints it has, how they hang together, and what q and v are."""
    names = hashlib.blake2b(repr((model.body_names, model.joint_names, model.loop_names, model.internal_parents,
                                  model.q_layout, model.v_layout)).encode(), digest_size=8).hexdigest()
    return ["articulated system", model.nq, model.nv, names]


cdef dict described_shapes(dict said, bytes material, list names):
    """Shape id -> what is said of it, and its material."""
    cdef const int* number = <const int*> PyBytes_AS_STRING(material)
    cdef int n_ids = PyBytes_GET_SIZE(material) // sizeof(int)
    found = {}
    for shape_id, (numbers, place, size) in said.items():
        of = names[number[<int> shape_id]] if shape_id < n_ids and number[<int> shape_id] >= 0 else ""
        text = repr((numbers, of)).encode() + place + size
        found[shape_id] = hashlib.blake2b(text, digest_size=8).hexdigest()
    return found
