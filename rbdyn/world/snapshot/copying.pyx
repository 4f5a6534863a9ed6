"""Worlds in pickles and copies: who is in one, as plain values, and the content of a snapshot.

Handles of a copy belong to the copy.  Functions (laws of wires, schedules) come last, since they may hold handles.
Observers stay with the World that they look at.
"""

from copy import deepcopy

from rbdyn.collision.noted_shapes import backend_data, backend_from
from rbdyn.errors import BusyError, Error
from rbdyn.mechanism import notes
from rbdyn.spatial.transform import Transform
from rbdyn.world.scheduler.scheduler import Scheduler
from rbdyn.world.snapshot import rest, seal
from rbdyn.world.snapshot.snapshot import LAYOUT as _LAYOUT

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport memcpy

from rbdyn.collision.noted_shapes cimport shapes_from
from rbdyn.memory cimport open_arena
from rbdyn.stepping.constraints.bodies.joints cimport BodyFrame
from rbdyn.stepping.constraints.joints.couplings cimport CouplingTerm, lay_out_coupling
from rbdyn.stepping.links cimport COUPLING_LINK, Anchor
from rbdyn.stepping.pipeline cimport Pipeline
from rbdyn.world.constraints.body_joint cimport BodyJoint
from rbdyn.world.constraints.constraint cimport Constraint
from rbdyn.world.constraints.coupling cimport Coupling
from rbdyn.world.constraints.end cimport End
from rbdyn.world.constraints.wire cimport Wire
from rbdyn.world.edits.ends cimport note_of_ends
from rbdyn.world.edits.notes cimport note_from, said_of
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.objects.single_body cimport SingleBody
from rbdyn.world.registry.checks cimport put_unchecked, unchecked
from rbdyn.world.snapshot.insides cimport Insides
from rbdyn.world.snapshot.members cimport Members, own_contacts_of
from rbdyn.world.snapshot.snapshot cimport Snapshot
from rbdyn.world.snapshot.taking cimport begin_look, insides_of, taken_now


cdef bytes raw(const void* data, size_t size):
    return PyBytes_FromStringAndSize(<const char*> data, size)


# ---- from a World ------------------------------------------------------------------------------

class Unedited:
    """Comes last in a pickle: BusyError if one of the mechanisms in it was edited since it was begun.

    Pickles are written after the World has said what is in it, when nobody is kept from editing any more.
    """

    def __init__(self, Insides inside):
        counters = [(<ArticulatedSystem> robot).model.revision_counter for robot in inside.registry.systems]
        self.counters = [(one, one.value, one.frames) for one in counters]

    def check(self):
        if any((one.value, one.frames) != (value, frames) for one, value, frames in self.counters):
            raise BusyError("the World was edited by another thread while it was copied; copy or pickle it again")

    def __reduce__(self):
        self.check()
        return opened, ()

    def during(self, call):
        """What `call()` returns, which looks at the mechanisms; BusyError, whatever it raises, if one was edited."""
        try:
            made = call()
        except Exception:
            self.check()
            raise
        self.check()
        return made


def opened():
    """Stand for Unedited in a World that was read."""


def structure(world):
    """All of a World but its functions, as values that can be pickled; nobody may change it meanwhile."""
    cdef Insides inside = insides_of(world)
    cdef Snapshot now = taken_now(inside)
    cdef Members m = now.members
    cdef Pipeline steps = inside.pipeline
    return {
        "world": (world.time_step, world.substeps),
        "backends": (backend_data(steps.collision), steps.contact, steps.position_solver),
        "objects": [(obj.name, said_object(obj)) for obj in m.singles + m.systems],
        "order": list(m.objects),
        "constraints": [said_constraint(one) for one in m.constraints.values()],
        "handles": m.handles, "shape_ids": m.shape_ids, "material_numbers": m.material_numbers,
        "robots": [said_of(robot) for robot in m.systems],
        "ignored": [[(obj.name, None if link is None else link.name) for obj, link in pair] for pair in m.ignored],
        "shapes": {key: (entry[0].name, *entry[1:]) for key, entry in m.shapes.items()},
        "free_handles": m.free_handles, "bodies": m.bodies, "material": m.material,
        "collision": m.collision_shapes.data(),
        "content": now.content,
        "unchecked": unchecked(inside.registry),
        "rest": now.rest | {"scheduler": None, "extras": {}},
        "first": None if inside.first is None else bytes(inside.first),
    }


cdef tuple said_object(object obj):
    """What a new one is made of."""
    if isinstance(obj, SingleBody):
        return ("single body", obj.geometries)
    return ("articulated system", obj.model.mechanism)


cdef tuple said_end(End end):
    return (None if end.obj is None else end.obj.name, end.body, end.handle, raw(&end.R, sizeof(end.R)),
            raw(&end.p, sizeof(end.p)))


cdef tuple said_constraint(Constraint one):
    """What a new one is made of; numbers that snapshots hold are not."""
    cdef Wire wire
    cdef BodyJoint joint
    cdef Coupling coupling
    ends = [said_end(end) for end in one.held]
    if isinstance(one, Wire):
        wire = one
        numbers = (raw(wire.wire.anchor, wire.wire.n * sizeof(Anchor)),
                   raw(wire.wire.falls, (wire.wire.n - 1) * sizeof(double)), wire.wire.kind, wire.wire.resists)
        return ("wire", one.name, one.link.id, ends, numbers)
    if isinstance(one, BodyJoint):
        joint = one
        frames = raw(&joint.c.before, sizeof(BodyFrame)), raw(&joint.c.after, sizeof(BodyFrame))
        return ("joint", one.name, one.link.id, ends, (joint.joint, *frames))
    coupling = one
    terms = raw(coupling.c.term, coupling.c.n * sizeof(CouplingTerm)), raw(one.link.body, coupling.c.n * sizeof(int))
    named = [(robot.name, joint_name, value) for (robot, joint_name), value in coupling.coefficients.items()]
    return ("coupling", one.name, one.link.id, named, (*terms, bool(one.link.holds)))


def functions(world):
    """The functions of a World, and the attributes of a Python class of Worlds."""
    cdef Insides inside = insides_of(world)
    scheduler = inside.scheduler
    return {
        "laws": {one.name: one.law for one in world.constraints if isinstance(one, Wire) and one.law is not None},
        "scheduler": None if scheduler is None or not scheduler.schedules else (
            scheduler.noted(), [one.function for one in scheduler.schedules]),
        "attributes": getattr(world, "__dict__", None),
        "extras": inside.extras,
    }


# ---- to a World --------------------------------------------------------------------------------

def layout():
    """Layout of the parts of a pickled World, on this machine."""
    return (seal.PICKLE_LAYOUT, _LAYOUT, sizeof(long))


def pickled(world, base):
    """Reduce a World for pickle, as World.__reduce__ does; `base` is the class World itself."""
    cdef Insides inside = insides_of(world)
    begin_look(inside)
    try:
        unedited = Unedited(inside)
        return unedited.during(lambda: reduced(world, base, unedited))
    finally:
        inside.registry.lock.end_query()


cdef tuple reduced(world, base, unedited):
    parts, state = structure(world), functions(world)
    state["unedited"] = unedited
    return rebuilt, (type(world), base, parts, layout(), seal.checksum(parts)), state


def rebuilt(cls, base, parts, told_layout=None, told=None):
    """The World of a pickle; SnapshotError if it is of another layout or damaged."""
    seal.check(parts, told_layout, layout(), told)
    return made_of(cls, base, parts)


cdef object copied(world, base, memo):
    parts = deepcopy(structure(world), memo)
    memo[id(world)] = made = made_of(type(world), base, parts)
    put_functions(made, deepcopy(functions(world), memo))
    return made


def deep_copy(world, base, memo):
    """A copy of a World, which nobody may change meanwhile: what World.__deepcopy__ returns."""
    cdef Insides inside = insides_of(world)
    begin_look(inside)
    try:
        return Unedited(inside).during(lambda: copied(world, base, memo))
    finally:
        inside.registry.lock.end_query()


def made_of(cls, base, parts):
    """A World of class `cls` from what `structure` said."""
    cdef Insides inside
    cdef Members m = Members.__new__(Members)
    world = cls.__new__(cls)
    time_step, substeps = parts["world"]
    collision, contact, position_solver = parts["backends"]
    base.__init__(world, time_step, collision=backend_from(collision), contact=contact,
                  position_solver=position_solver, substeps=substeps)
    inside = world._insides
    made = {name: new_object(name, said) for name, said in parts["objects"]}
    m.objects = {name: made[name] for name in parts["order"]}
    m.singles = [obj for obj in made.values() if isinstance(obj, SingleBody)]
    m.systems = [obj for obj in made.values() if not isinstance(obj, SingleBody)]
    m.geometries = [obj.geometries for obj in m.singles]
    m.models, m.states = [robot.model for robot in m.systems], [robot.state for robot in m.systems]
    m.parameters = [notes.noted(robot.mechanism) for robot in m.systems]
    m.numbers = [note_from(robot, said) for robot, said in zip(m.systems, parts["robots"], strict=True)]
    m.ignored = {frozenset([(made[name], None if link is None else made[name].mechanism.find_body(link))
                            for name, link in pair]) for pair in parts["ignored"]}
    m.constraints = {said[1]: new_constraint(said, made) for said in parts["constraints"]}
    m.ends = [note_of_ends(one) for one in m.constraints.values()]
    m.handles, m.shape_ids, m.free_handles = parts["handles"], parts["shape_ids"], parts["free_handles"]
    m.material_numbers, m.material, m.bodies = parts["material_numbers"], parts["material"], parts["bodies"]
    m.shapes = {key: (made[entry[0]], *entry[1:]) for key, entry in parts["shapes"].items()}
    m.collision_shapes = shapes_from(parts["collision"])
    m.put_back(inside)
    m.own_contacts = [own_contacts_of(robot) for robot in m.systems]
    if not inside.fits(parts["content"]):
        raise Error("a pickled World cannot be read: its parts do not fit one another")
    inside.load(parts["content"])
    inside.registry.note_edited()
    rest.put_back(parts["rest"], inside, inside.registry.materials, [], {})
    put_unchecked(inside.registry, parts["unchecked"], made)
    inside.first = None if parts["first"] is None else Snapshot.from_bytes(parts["first"])
    return world


cdef WorldObject new_object(str name, tuple said):
    """One that is in no World yet."""
    cdef SingleBody body
    cdef ArticulatedSystem robot
    kind, what = said
    if kind == "single body":
        body = SingleBody.__new__(SingleBody)
        body.name, body.geometries = name, what
        return body
    robot = ArticulatedSystem.__new__(ArticulatedSystem)
    robot.name = name
    robot.build(what)
    return robot


cdef End new_end(tuple said, dict made):
    cdef End end = End.__new__(End)
    name, end.body, end.handle, R, p = said
    end.obj = None if name is None else made[name]
    memcpy(&end.R, PyBytes_AS_STRING(R), sizeof(end.R))
    memcpy(&end.p, PyBytes_AS_STRING(p), sizeof(end.p))
    return end


cdef Constraint new_constraint(tuple said, dict made):
    """One that is in no World yet, between objects by name."""
    cdef Constraint one
    kind, name, number, ends, numbers = said
    if kind == "wire":
        one = new_wire([new_end(end, made) for end in ends], numbers)
    elif kind == "joint":
        one = new_joint([new_end(end, made) for end in ends], numbers)
    else:
        one = new_coupling({(made[robot], joint): value for robot, joint, value in ends}, numbers)
    one.name, one.link.id = name, number
    return one


cdef Wire new_wire(list ends, tuple numbers):
    cdef Wire wire = Wire.__new__(Wire)
    anchors, falls, kind, resists = numbers
    wire.begin(ends, [(0.0, 0.0, 0.0)] * len(ends), [1.0] * len(ends))
    memcpy(wire.wire.anchor, PyBytes_AS_STRING(anchors), wire.wire.n * sizeof(Anchor))
    memcpy(wire.wire.falls, PyBytes_AS_STRING(falls), (wire.wire.n - 1) * sizeof(double))
    wire.wire.kind, wire.wire.resists = kind, resists
    return wire


cdef BodyJoint new_joint(list ends, tuple numbers):
    cdef BodyJoint made = BodyJoint.__new__(BodyJoint)
    joint, before, after = numbers
    made.begin(ends, joint, Transform(), Transform())
    memcpy(&made.c.before, PyBytes_AS_STRING(before), sizeof(BodyFrame))
    memcpy(&made.c.after, PyBytes_AS_STRING(after), sizeof(BodyFrame))
    return made


cdef Coupling new_coupling(dict coefficients, tuple numbers):
    cdef Coupling made = Coupling.__new__(Coupling)
    cdef int n = len(coefficients)
    terms, bodies, holds = numbers
    lay_out_coupling(&made.c, &made.arrays, n)
    open_arena(&made.arrays)
    lay_out_coupling(&made.c, &made.arrays, n)
    memcpy(made.c.term, PyBytes_AS_STRING(terms), n * sizeof(CouplingTerm))
    memcpy(made.c.link.body, PyBytes_AS_STRING(bodies), n * sizeof(int))
    made.coefficients, made.held = coefficients, ()
    made.link, made.kind = &made.c.link, COUPLING_LINK
    made.link.rows, made.link.near, made.link.holds = 1, True, holds
    return made


def put_functions(world, state):
    """The functions of `functions`, in a World that `rebuilt` made."""
    cdef Insides inside = world._insides
    cdef Wire wire
    for name, law in state["laws"].items():
        wire = inside.registry.constraints[name]
        wire.law = law
    inside.registry.find_lawful()
    if state["scheduler"] is not None:
        note, called = state["scheduler"]
        inside.scheduler = Scheduler(world)
        inside.scheduler.put_back(note, [inside.scheduler.blank(function) for function in called])
    inside.extras = state["extras"]
    if state["attributes"]:
        world.__dict__.update(state["attributes"])
