from rbdyn.world.objects.single_body cimport SingleBody
from rbdyn.world.registry.registry cimport Registry

cdef object as_robot(Registry registry, SingleBody body, object operation)
