# Poses in numbers, composed as Transform composes them: to the bit.

cimport numpy as cnp

from rbdyn.spatial._algebra cimport Mat3, Vec3

cdef struct Pose:
    Mat3 R                # to the axes of the frame it is seen from
    Vec3 p                # [m] origin there
    bint plain            # R is made of 0, 1 and -1 alone: nothing is rounded in products with it

cdef cnp.ndarray numbers(object a)
cdef int turn_of(Pose a) noexcept
cdef Pose no_pose() noexcept
cdef Pose rotation_of(object R)
cdef Pose pose_of(object transform)
cdef Pose compose(Pose a, Pose b) except *
cdef Pose inverse(Pose a) except *
cdef Vec3 point_in(Pose a, Vec3 at) except *
cdef Mat3 tensor_in(Pose a, Mat3 J) except *
cdef object transform_of(Pose a)
cdef object matrix_of_pose(Pose a)
