# What a World accepts and is probably a mistake: each is said once, at the first step with it.

from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.registry.registry cimport Registry

cdef int check_setup(Registry registry) except -1
cdef tuple unchecked(Registry registry)
cdef int put_unchecked(Registry registry, tuple noted, dict objects) except -1
cdef int leave_unchecked(Registry registry) except -1
cdef list overlaps_of(Registry registry, ArticulatedSystem robot)
