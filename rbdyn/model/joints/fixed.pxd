# Fixed: no motion.  Of loop joints only: in the tree, bodies on fixed joints are merged.

from rbdyn.spatial.constants cimport Mat3d, Vec3d
from rbdyn.spatial.quaternion cimport rotation_vector

cdef enum:
    FIXED_ALLOWS = 0b000000

cdef inline Vec3d fixed_loop_error(Mat3d C) noexcept nogil:
    """Rotation vector that its rows see, of the after-frame's axes C seen from the before-frame."""
    return rotation_vector(C)
