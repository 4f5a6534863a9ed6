"""The shapes of what is in a World: changed, added and removed one by one.

Of a robot they stand in `collision` of a body of its mechanism, of a single body in its `geometries`.
"""

from dataclasses import replace

from rbdyn.arguments import shown, whole
from rbdyn.collision.shapes import Mesh
from rbdyn.errors import Error
from rbdyn.mechanism import Geometry
from rbdyn.world.registry import factories

from rbdyn.stepping.scene cimport DYNAMIC
from rbdyn.world.edits.renewal cimport renew_now, take_back
from rbdyn.world.edits.shapes cimport Exchange, begin_exchange, exchange_of
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.single_body cimport SingleBody

SETTABLE = ("shape", "pose", "material", "group", "mask", "name", "color", "pairs")


cdef int set_geometry(Registry registry, WorldObject obj, object body, object index, dict values) except -1:
    """Attributes of the Geometry number `index` of a body of a robot, or of a single body (`body` None)."""
    for name in values:
        if name not in SETTABLE:
            raise Error(f"a geometry has no {shown(name)} that can be set; there are {', '.join(SETTABLE)}")
    items = items_of(obj, body)
    k = checked_index(obj, index, len(items))
    return put(registry, obj, body, [*items[:k], replace(items[k], **values), *items[k + 1:]])


cdef int add_geometry(Registry registry, WorldObject obj, object body, object item) except -1:
    """A shape more, behind those that are there."""
    if not isinstance(item, Geometry):
        raise Error(f"geometry must be a Geometry, got {shown(item)}")
    return put(registry, obj, body, [*items_of(obj, body), item])


cdef int remove_geometry(Registry registry, WorldObject obj, object body, object index) except -1:
    """A shape less."""
    items = items_of(obj, body)
    k = checked_index(obj, index, len(items))
    return put(registry, obj, body, [*items[:k], *items[k + 1:]])


cdef list items_of(WorldObject obj, object body):
    obj.check_alive()
    return list(obj.geometries if body is None else body.collision)


cdef object checked_index(WorldObject obj, object index, int n):
    if n == 0:
        raise Error(f"there is no geometry on this body of {obj.name!r}")
    return whole(index, "index of a geometry", least=0, most=n - 1)


cdef int put(Registry registry, WorldObject obj, object body, list items) except -1:
    """Make these the shapes of a body: the World and what users read change together, or not at all."""
    factories.prepare(items)
    registry.lock.begin_edit()
    try:
        if body is None:
            put_single(registry, obj, tuple(items))
        else:
            put_robot(registry, obj, body, items)
        registry.lock.edited = True
    finally:
        registry.lock.end_edit()
    return 0


cdef int put_robot(Registry registry, ArticulatedSystem robot, object body, list items) except -1:
    robot.state.check_not_stepping()
    renew_now(registry, robot)
    before = list(body.collision)
    try:
        body.collision[:] = items
        exchange_of(registry, robot, body)
    except BaseException:
        body.collision[:] = before
        take_back(registry, robot)
        raise
    robot.model.revision = robot.model.revision_counter.value
    return 0


cdef int put_single(Registry registry, SingleBody body, tuple items) except -1:
    cdef Exchange exchange = begin_exchange(registry, body)
    cdef int handle = body.body().handle
    before, ids = body.geometries, list(body.shape_ids)
    try:
        if len(items) == len(before):
            for k, shape_id in enumerate(ids):
                if items[k] is not before[k]:
                    exchange.change(shape_id, body.name, before[k], items[k], None, None)
        elif len(items) > len(before):
            exchange.add(handle, body.name, body.name, items[len(items) - 1], None, body.body().type == DYNAMIC)
        else:
            gone = [k for k, item in enumerate(before) if k >= len(items) or items[k] is not item][0]
            exchange.drop(ids[gone])
    except BaseException:
        exchange.undo()
        raise
    body.geometries = items
    exchange.finish()
    if registry.collision.mesh == "hull" and any([isinstance(item.shape, Mesh) for item in items[len(before):]]):
        factories.warn_of_hulls(body.name, items[len(before):])
    return 0
