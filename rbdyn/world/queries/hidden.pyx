"""Shapes by what they are called: those that a query leaves out, and those that it found."""

from rbdyn.world.edits.filters cimport named
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem


cdef set hidden_shapes(Registry registry, object things, str name):
    """Ids of the shapes of objects, or of bodies of robots; `name` is that of the argument, for errors."""
    hidden = set()
    for given in things:
        obj, body = named(registry, given, name)
        link = getattr(body, "name", body)
        if link is not None:
            (<ArticulatedSystem> obj).model.find(body)                         # or there is none of this name
        hidden.update(k for k, shape in registry.shapes.items()
                      if shape[0] is obj and (link is None or link in (shape[1], shape[3])))
    return hidden


cdef tuple names_of(Registry registry, int shape_id):
    """(object, body, link, geometry, material) of a shape."""
    obj, body, geometry, link = registry.shapes[shape_id]
    number = registry.memory.scene.material[shape_id]
    material = next(name for name, k in registry.material_numbers.items() if k == number)
    return obj, body, link, geometry, material
