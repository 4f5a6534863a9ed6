from rbdyn.world.snapshot.members cimport Members

cdef class Snapshot:
    cdef object __weakref__
    cdef bytes content           # what Insides.saved() gave
    cdef Members members         # of the World that it is of; None if it was read from bytes
    cdef object inside           # weak reference to the Insides of that World; None likewise
    cdef dict rest               # what is no memory of the scene, as JSON can say it: materials, random generator
    cdef list schedules          # Schedule objects of that World, in the order of their calls
    cdef dict extras             # what packages above keep with that World: name -> what its `kept` returned
    cdef list said               # description of the members, once somebody asked
    cdef str known_hash          # likewise
    cdef readonly double time
    cdef readonly long steps
    cdef list description(self)
    cdef bytes header(self)
