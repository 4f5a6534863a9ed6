from rbdyn.world.objects.articulated_system cimport ArticulatedSystem

cdef tuple said_of(ArticulatedSystem robot)
cdef tuple note_from(ArticulatedSystem robot, tuple said)
cdef tuple note_of(ArticulatedSystem robot)
cdef int put_back_numbers(ArticulatedSystem robot, tuple note) except -1
