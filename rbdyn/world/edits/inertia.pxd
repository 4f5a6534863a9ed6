from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.single_body cimport SingleBody
from rbdyn.world.registry.registry cimport Registry

cdef int set_inertia(Registry registry, ArticulatedSystem robot, object body, object mass, object com,
                     object inertia) except -1
cdef int set_single_inertia(Registry registry, SingleBody body, object mass, object com, object inertia) except -1
cdef int scale_inertia(Registry registry, ArticulatedSystem robot, object body, object factor) except -1
