from rbdyn.spatial._algebra cimport Mat3, Vec3
from rbdyn.spatial.constants cimport Inertiad, Mat3d, Vec3d

cdef Vec3 vector_of(object p)
cdef Mat3 matrix_of(object R)
cdef Vec3d stored3(Vec3 a) noexcept
cdef Mat3d stored33(Mat3 A) noexcept
cdef Inertiad about_origin(double mass, Vec3 c, Mat3 J) noexcept
