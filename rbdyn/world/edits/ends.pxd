from rbdyn.model.model cimport Model
from rbdyn.spatial._algebra cimport Vec3
from rbdyn.world.constraints.constraint cimport Constraint
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.registry.registry cimport Registry

cdef int check_ends(Registry registry, ArticulatedSystem robot, Model fresh) except -1
cdef int move_ends(Registry registry, ArticulatedSystem robot, Model fresh) except -1
cdef int shift_ends(Registry registry, WorldObject body, Vec3 shift) except -1
cdef tuple note_of_ends(Constraint constraint)
cdef int put_back_ends(Constraint constraint, tuple note) except -1
