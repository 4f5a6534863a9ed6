from rbdyn.model.model cimport Model
from rbdyn.spatial.constants cimport Inertiad

cdef class Part:
    cdef object body             # RigidBody
    cdef object pose             # of its frame in the internal frame; None: they are the same
    cdef double m                # [kg]
    cdef double[3] c             # centre of mass in the internal frame [m]
    cdef double[9] J             # about it, internal axes [kg m^2]
    cdef int read(self, object inertia) except -1

cdef list parts_of(Model model, int link)
cdef Inertiad merged_inertia(list parts)
cdef int put_inertia(Model model, int link, Inertiad I) except -1
