# Joints between any two bodies, welds among them, as a source of constraints: a bilateral block each, two if it gives
# way, and rows for what acts along what it allows.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.spatial._algebra cimport Force, Mat3, Motion, Vec3
from rbdyn.stepping.builder cimport Builder, Count, Share
from rbdyn.stepping.freedom cimport Freedom, Softness
from rbdyn.stepping.links cimport Link
from rbdyn.stepping.scene cimport Scene

cdef enum:
    JOINT_SOURCE = 11         # Key.source; id_a is the number of the joint

cdef struct BodyFrame:        # a frame of a body
    int handle                # body handle, 0 for the world
    Mat3 R                    # its axes in those of the pose that the scene has of the body
    Vec3 p                    # its origin there [m]

cdef struct BodyJoint:        # rows as those of a loop joint, kernels/loops.pxd
    Link link
    int[2] body               # of link.body
    int kind                  # JointKind of model/_model.pxd
    double parameter          # of the kind
    BodyFrame before, after   # z is the joint's axis, or its normal
    Freedom freedom           # what acts along what it allows
    Softness[2] soft          # of rotations, and of translations
    int near                  # of this step: ends of limits that it could pass (freedoms.pxd)
    double[2] turning         # of this step: how the load stiffens the rotation of `after`'s body, `before`'s [N m]
    Force[6] push             # of this step: a unit impulse of each row on what carries `after`, at its origin, world
    Vec3 at                   # that origin [m]

cdef double joint_coordinate(const BodyJoint* j, Mat3 R, Vec3 p, Mat3 R_after, Vec3 p_after) noexcept nogil
cdef Motion joint_error(const BodyJoint* j, Mat3 R, Vec3 p, Mat3 R_after, Vec3 p_after) noexcept nogil
cdef int rows_of(const BodyJoint* j, int* direction) noexcept nogil
cdef void look_at_joints(const Scene* s) noexcept nogil
cdef Count count_joints(const Scene* s) noexcept nogil
cdef int write_joints(const Scene* s, Builder* b) except -1 nogil
cdef void read_joints(const Scene* s, const ContactProblem* p, Share share) noexcept nogil
