"""Mass, centre of mass and inertia of bodies that are in a World."""

from dataclasses import replace

from rbdyn.arguments import as_array, as_vector, number
from rbdyn.errors import Error
from rbdyn.mechanism._revision import put
from rbdyn.spatial.inertia import SpatialInertia
from rbdyn.spatial.transform import Transform
from rbdyn.world.registry import factories

from rbdyn.model.merging cimport parts_of, put_inertia
from rbdyn.model.model cimport Model
from rbdyn.model.part cimport Part, merged_inertia
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, mul3, outer3, scale3, sub33, vec3
from rbdyn.spatial.constants cimport Inertiad
from rbdyn.stepping.scene cimport DYNAMIC, SingleControl, SingleState
from rbdyn.world.edits.ends cimport shift_ends
from rbdyn.world.edits.renewal cimport check_dynamics, renew_now, settle
from rbdyn.world.edits.shapes cimport Exchange, begin_exchange


cdef object edited(object old, str name, object mass, object com, object inertia):
    """A SpatialInertia with some of its numbers changed; Error if it is one that no body has."""
    what = f"of body {name!r}"
    if com is None and inertia is None:
        return old.with_mass(number(mass, f"mass {what}", low=0.0, unit="[kg]"))
    m = old.mass if mass is None else number(mass, f"mass {what}", low=0.0, unit="[kg]")
    c = old.com if com is None else as_vector(com, 3, f"com {what}", "[m]")
    if inertia is None:
        return SpatialInertia(m, c, old.inertia)
    new = SpatialInertia(m, c, as_array(inertia, (3, 3), f"inertia {what}"))
    defect = new.defect()
    if defect:
        raise Error(f"inertia {what}: {defect}")
    return new


cdef int set_inertia(Registry registry, ArticulatedSystem robot, object body, object mass, object com,
                     object inertia) except -1:
    """Of a body of a robot's mechanism, also of one that a fixed joint merges into another; None stays.

    The links' sum, the mechanism's numbers and what follows from them change together, or not at all.
    """
    new = edited(body.inertia, body.name, mass, com, inertia)
    return put_link(registry, robot, body, new, com is None and inertia is None)


cdef int scale_inertia(Registry registry, ArticulatedSystem robot, object body, object factor) except -1:
    """Multiply mass and inertia of such a body."""
    return put_link(registry, robot, body, body.inertia.scaled(factor), False)


cdef int put_link(Registry registry, ArticulatedSystem robot, object body, object new, bint mass_alone) except -1:
    """Make `new` the inertia of such a body; `mass_alone`: nothing but its mass differs."""
    cdef Model model
    cdef Part part, one
    cdef Inertiad before
    cdef int link
    cdef list parts
    robot.check_alive()
    registry.lock.begin_edit()
    try:
        robot.state.check_not_stepping()
        renew_now(registry, robot)
        model = robot.model                          # an edit of the graph brings another one
        link = model.find(body).body
        parts = parts_of(model, link)
        for one in parts:
            if one.body is body:
                part = one
        before = model.c.I_b[link]
        try:
            if mass_alone:
                part.m = new.mass
            else:
                part.read(new)
            put_inertia(model, link, merged_inertia(parts))
            check_dynamics(robot)
            put(body.__dict__, "inertia", new, body._revision)  # as `take_inertia`, which could be interrupted
        except BaseException:
            part.read(body.inertia)
            put_inertia(model, link, before)
            raise
        model.revision = model.revision_counter.value
        settle(robot)
        registry.lock.edited = True
    finally:
        registry.lock.end_edit()
    return 0


cdef int set_single_inertia(Registry registry, SingleBody body, object mass, object com, object inertia) except -1:
    """Of a single body, whose frame sits at its centre of mass: with another one the frame moves, the shapes do not."""
    cdef bint dynamic = body.body().type == DYNAMIC
    cdef Vec3 c
    new_mass = body.mass if mass is None else (
        factories.checked_mass(mass) if dynamic else number(mass, "mass", low=0.0, unit="[kg]"))
    J = body.inertia if inertia is None else as_array(inertia, (3, 3), "inertia")
    if inertia is not None:
        factories.check_inertia(J)
    shift = None if com is None else as_vector(com, 3, "com", "[m]")
    body.check_alive()
    registry.lock.begin_edit()
    try:
        if shift is not None and shift.any():
            c = vec3(shift[0], shift[1], shift[2])
            move_shapes(registry, body, shift)
            move_frame(registry, body, c)
        body.put_inertia(new_mass, J)
        registry.lock.edited = True
    finally:
        registry.lock.end_edit()
    return 0


cdef int move_shapes(Registry registry, SingleBody body, object shift) except -1:
    """Shapes stay where they are in the world when the frame moves by `shift`."""
    cdef Exchange exchange = begin_exchange(registry, body)
    back = Transform(translation=-shift)
    moved = tuple([replace(item, pose=back @ item.pose) for item in body.geometries])
    try:
        for shape_id, old, new in zip(list(body.shape_ids), body.geometries, moved):
            exchange.change(shape_id, body.name, old, new, None, None)
    except BaseException:
        exchange.undo()
        raise
    body.geometries = moved
    exchange.changed = set()                          # they are where they were: contacts hold on
    return exchange.finish()


cdef int move_frame(Registry registry, SingleBody body, Vec3 c) except -1:
    """The origin goes to c, in its present axes; so do the velocity, the forces of this step and what hangs on it."""
    cdef SingleState* state = body.state()
    cdef SingleControl* control = body.control()
    cdef Vec3 r = mul3(state.R, c)
    state.p = add3(state.p, r)
    state.v = add3(state.v, cross3(state.w, r))
    control.lever = sub33(control.lever, outer3(c, control.force))
    return shift_ends(registry, body, scale3(-1.0, c))
