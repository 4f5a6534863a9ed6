from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.registry.registry cimport Registry

cdef tuple named(Registry registry, object given, str argument)
cdef int set_ignored(Registry registry, object a, object b, bint ignored) except -1
cdef int set_filters(Registry registry, ArticulatedSystem robot, object self_collision, object collide_with_parent,
                     object contacts_per_self_pair) except -1
