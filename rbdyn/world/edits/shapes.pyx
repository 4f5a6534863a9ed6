"""Shapes exchanged, moved, added and removed while they are in use: all of a call, or none of it."""

import numpy as np

from rbdyn.collision.shapes import Mesh
from rbdyn.world.arguments import label
from rbdyn.world.registry import factories

from rbdyn.model.model cimport Model
from rbdyn.model.renewal cimport same_place
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem


cdef Exchange begin_exchange(Registry registry, WorldObject obj):
    """Of shapes of this object."""
    cdef Exchange exchange = Exchange.__new__(Exchange)
    exchange.registry, exchange.obj = registry, obj
    exchange.done, exchange.leaving, exchange.changed = [], [], set()
    return exchange


cdef class Exchange:
    """Changes of an object's shapes that are undone together if one of them fails."""

    cdef int change(self, int shape_id, str body, object old, object new, object before, object now) except -1:
        """A Geometry for another one under the same id, on a body whose frame goes from `before` to `now`, (4, 4)."""
        cdef int material = self.registry.memory.scene.material[shape_id]
        backend = self.registry.collision
        said = self.registry.shapes[shape_id]
        here, there = placed(old, before), placed(new, now)
        number = self.registry.material_number(label(new.material, f"material of a shape of {self.obj.name!r}"))
        self.done.append((backend, shape_id, old, here, material, said))
        if new.shape is not old.shape:
            backend.set_shape(shape_id, new.shape)
            self.changed.add(shape_id)
        if not np.array_equal(here, there):
            backend.set_shape_pose(shape_id, there)
            self.changed.add(shape_id)
        if (new.group, new.mask) != (old.group, old.mask):
            backend.set_group(shape_id, new.group, new.mask)
        self.registry.memory.scene.material[shape_id] = number
        self.registry.shapes[shape_id] = (self.obj, body, new.name or body, said[3])
        return 0

    cdef int move(self, int shape_id, str body, object item, object before, object now) except -1:
        """A Geometry that stays, on a body whose frame goes from `before` to `now`, (4, 4)."""
        cdef object pose = item.pose.matrix
        material, said = self.registry.memory.scene.material[shape_id], self.registry.shapes[shape_id]
        self.done.append((self.registry.collision, shape_id, item, before @ pose, material, said))
        self.registry.collision.set_shape_pose(shape_id, now @ pose)
        self.changed.add(shape_id)
        self.registry.shapes[shape_id] = (self.obj, body, item.name or body, said[3])
        return 0

    cdef int add(self, int handle, str body, str link, object item, object frame, bint dynamic) except -1:
        """A new shape on a body; returns its id."""
        cdef int count = len(self.obj.shape_ids)
        self.registry.register(self.obj, handle, body, link, [item], frame, dynamic)
        self.done.append(self.obj.shape_ids[count])
        return self.obj.shape_ids[count]

    cdef int drop(self, int shape_id) except -1:
        """Take a shape away, once all else is done."""
        self.leaving.append(shape_id)
        return 0

    cdef int undo(self) except -1:
        """Back to what was there before."""
        for one in reversed(self.done):
            if isinstance(one, int):
                self.remove_shape(one)
                continue
            backend, shape_id, old, here, material, said = one
            if backend.shape(shape_id) is not old.shape:
                backend.set_shape(shape_id, old.shape)
            backend.set_shape_pose(shape_id, here)
            backend.set_group(shape_id, old.group, old.mask)
            self.registry.memory.scene.material[shape_id] = material
            self.registry.shapes[shape_id] = said
        return 0

    cdef int finish(self) except -1:
        """Shapes that leave, leave; contacts of what is not where it was are forgotten."""
        for shape_id in self.leaving:
            self.remove_shape(shape_id)
        if self.changed or self.leaving:
            self.obj.world._forget_shapes([*self.changed, *self.leaving])
        self.registry.release_materials()
        return 0

    def remove_shape(self, shape_id):
        """Out of the backend and out of the registry."""
        if shape_id in set(self.registry.collision.ids):             # or somebody else removed it
            self.registry.collision.remove_shape(shape_id)
        self.registry.memory.scene.material[shape_id] = -1
        del self.registry.shapes[shape_id]
        self.obj.shape_ids.remove(shape_id)


cdef object placed(object item, object frame):
    """Where a Geometry is on the body that carries it, (4, 4)."""
    return item.pose.matrix if frame is None else frame @ item.pose.matrix


cdef list pairs(list before, list now):
    """Which shapes of a body's list were there before: (Geometry, its entry before or None), and the entries left."""
    if len(before) == len(now):
        return [*zip(now, before), (None, [])]
    left, found = list(before), []
    for same in (lambda a, b: a is b, lambda a, b: a == b):
        for k, item in enumerate(now):
            entry = next((entry for entry in left if same(entry[0], item)), None)
            if entry is not None and k not in [index for index, _ in found]:
                left.remove(entry)
                found.append((k, entry))
    known = dict(found)
    return [*((item, known.get(k)) for k, item in enumerate(now)), (None, left)]


cdef bint is_same(list entries, object items) except -1:
    """Whether these are the shapes of which there are the entries."""
    if len(entries) != len(items):
        return False
    for (item, _), now in zip(entries, items):
        if item is not now:
            return False
    return True


cdef dict plan(Exchange exchange, ArticulatedSystem robot, Model fresh, object bodies):
    """Make the shapes of these bodies those of their mechanism, with the internal frames of `fresh`; what is where."""
    cdef Model model = robot.model
    cdef int k, handle = robot.system().handle
    shapes = {}
    for body in bodies:
        k = fresh.find(body).body
        stays = fresh is model or same_place(model.find(body), fresh.find(body))
        if stays and is_same(robot.shapes_of[body], body.collision):
            shapes[body] = robot.shapes_of[body]
            continue
        carrier = str(fresh.body_names[max(k - fresh.base, 0)])
        frame = factories.matrix(fresh, body)
        before = frame if stays else factories.matrix(model, body)
        shapes[body] = []
        *kept, (_, left) = pairs(robot.shapes_of[body], list(body.collision))
        for item, entry in kept:
            if entry is None:
                entry = item, exchange.add(handle + k, carrier, body.name, item, frame, k > 0)
            elif entry[0] is item and frame is not before:
                exchange.move(entry[1], carrier, item, before, frame)
            elif entry[0] is not item:
                exchange.change(entry[1], carrier, entry[0], item, before, frame)
                entry = item, entry[1]
            shapes[body].append(entry)
        for _, shape_id in left:
            exchange.drop(shape_id)
    return shapes


cdef list pairs_named(list entries):
    """Ids and labels of the shapes of a body."""
    return [(shape_id, item.pairs) for item, shape_id in entries]


cdef int run(Registry registry, ArticulatedSystem robot, Model fresh, object bodies) except -1:
    cdef Exchange exchange = begin_exchange(registry, robot)
    known = {id(entry[0].shape) for body in bodies for entry in robot.shapes_of[body]}
    try:
        shapes = plan(exchange, robot, fresh, bodies)
        if registry.collision.mesh == "hull":
            new = [item for body in bodies for item in body.collision if id(item.shape) not in known]
            if any(isinstance(item.shape, Mesh) for item in new):
                factories.warn_of_hulls(robot.name, new)
    except BaseException:
        exchange.undo()
        raise
    before = {body: robot.shapes_of[body] for body in shapes}
    relabelled = [pairs_named(before[body]) != pairs_named(entries) for body, entries in shapes.items()]
    try:
        robot.shapes_of.update(shapes)
        if any(relabelled):
            registry.filters.exclude(robot)              # raises, if at all, before it changes anything
    except BaseException:
        robot.shapes_of.update(before)
        exchange.undo()
        raise
    return exchange.finish()


cdef int exchange(Registry registry, ArticulatedSystem robot, Model fresh, object bodies) except -1:
    """The shapes of these bodies become those of its mechanism, where `fresh` places the bodies."""
    return run(registry, robot, fresh, bodies)


cdef int exchange_of(Registry registry, ArticulatedSystem robot, object body) except -1:
    """The shapes of one body become those of its list."""
    return run(registry, robot, robot.model, (body,))
