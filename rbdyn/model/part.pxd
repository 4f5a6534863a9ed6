from rbdyn.model.pose cimport Pose
from rbdyn.spatial.constants cimport Inertiad

cdef class Part:
    cdef object body             # RigidBody
    cdef Pose pose               # of its frame in the internal frame
    cdef bint turned             # False: the root, whose inertia is taken as it is
    cdef double m                # [kg]
    cdef double[3] c             # centre of mass in the internal frame [m]
    cdef double[9] J             # about it, internal axes [kg m^2]
    cdef int read(self, object inertia) except -1

cdef Part new_part(object body, Pose pose, bint turned)
cdef Inertiad merged_inertia(list parts)
cdef int check_sum(list parts) except -1
