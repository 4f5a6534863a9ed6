from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.registry.registry cimport Registry

cdef object exchange(Registry registry, list robots, object edit)
cdef int restructure(Registry registry, ArticulatedSystem robot) except -1
