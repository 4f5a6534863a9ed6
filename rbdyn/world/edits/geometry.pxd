from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.registry.registry cimport Registry

cdef int set_geometry(Registry registry, WorldObject obj, object body, object index, dict values) except -1
cdef int add_geometry(Registry registry, WorldObject obj, object body, object item) except -1
cdef int remove_geometry(Registry registry, WorldObject obj, object body, object index) except -1
