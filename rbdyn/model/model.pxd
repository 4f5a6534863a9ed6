from rbdyn.mechanism._revision cimport Revision
from rbdyn.model._model cimport CModel
from rbdyn.spatial._algebra cimport Mat3, Vec3

cdef enum Turn:
    NO_TURN = 0                  # R is the identity
    AXIS_X = 1                   # R takes x to z: the frame of a joint about x
    AXIS_Y = 2                   # R takes y to z
    ANY_TURN = 3

cdef class Placement:
    cdef public int body         # internal index of the body that carries the frame
    cdef Mat3 R                  # frame to internal body axes
    cdef Vec3 p                  # [m] frame's origin in the internal body frame
    cdef int turn                # Turn: how R can be applied without arithmetic
    cdef bint shifted            # p is not zero

cdef class Model:
    cdef object __weakref__
    cdef CModel c
    cdef bint ready              # __init__ has run to its end
    cdef Revision revision_counter
    cdef readonly long revision
    cdef readonly long structure  # of the mechanism, when it was compiled
    cdef long renewed            # how often places of joints and frames were taken in anew: renewal.pyx
    cdef list parts              # of each internal body: (RigidBody, its pose there), carrier first
    cdef dict sums               # internal body -> what its inertia is the sum of, made when first edited: merging.pyx
    cdef readonly bint has_loops  # some joints close loops
    cdef readonly object mechanism
    cdef readonly tuple loop_names  # names of the joints that close loops
    cdef int base                # internal index of public body 0: 1 for a floating base, else 0
    cdef dict placements         # name, RigidBody or CartesianFrame -> Placement
    cdef readonly tuple body_names, joint_names
    cdef tuple bodies            # RigidBody of each public body
    cdef list body_placements    # Placement of each public body
    cdef dict joint_index        # joint name -> public index
    cdef dict _arrays
    cdef readonly str q_layout, v_layout  # what the numbers of q and v are, in words
    cdef CModel* use(self) except NULL
    cdef Placement find(self, object body)
    cdef Placement learnt(self, object asked)
    cdef int _fill(self, list links) except -1
    cdef int _fill_order(self) except -1
    cdef int _fill_loops(self, list loops) except -1
    cdef int _fill_names(self, object tree) except -1
