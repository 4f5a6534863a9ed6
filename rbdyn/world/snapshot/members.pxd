# Who is in a World: its objects, constraints and shapes, and the numbers under which they are found.

from rbdyn.collision.noted_shapes cimport NotedShapes
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.snapshot.insides cimport Insides

cdef class Members:
    cdef long registry_revision          # when these were in
    cdef long added, linked
    cdef dict objects, constraints       # by name, in the order in which they came
    cdef list singles, systems           # by index
    cdef list handles                    # body handle of each single body, then of each system
    cdef list shape_ids                  # likewise
    cdef list geometries                 # of each single body
    cdef list models, parameters         # of each system: its Model, and what its mechanism said
    cdef set ignored                     # pairs of links that never collide
    cdef list own_contacts               # of each system: whether it, and its neighbours, collide, and how often
    cdef list numbers                    # of each system: what it knew of that, world/edits/notes.pyx
    cdef list states                     # of each system: its State
    cdef list ends                       # of each constraint: where it hung, world/edits/ends.pyx
    cdef dict shapes                     # as the registry has them
    cdef dict material_numbers
    cdef list free_handles
    cdef bytes bodies                    # BodyHandle of each body handle
    cdef bytes material                  # of each shape id
    cdef NotedShapes collision_shapes
    cdef tuple said                      # description, once somebody asked

    cdef bint are_present(self, Insides inside) except -1
    cdef int check_alike(self, Insides inside) except -1
    cdef int put_back(self, Insides inside) except -1
    cdef int put_all(self, Insides inside) except -1
    cdef int put_objects(self, Insides inside) except -1
    cdef int put_systems(self, Insides inside) except -1
    cdef int put_shapes(self, Insides inside) except -1
    cdef tuple description(self)

cdef list own_contacts_of(ArticulatedSystem robot)
cdef Members members_of(Insides inside)
