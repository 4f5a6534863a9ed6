# What a picture is made of, in C: things and where they are, the camera, and what is seen of a thing in one picture.
#
# Camera axes: x to the right, y down, z forward.  Pixel (x, y) is column x of row y, and its middle is at
# (x + 0.5, y + 0.5).  The ray through (u, v) is d = ((u - cx) / fx, (v - cy) / fy, 1), so that a point t d is t deep.

from rbdyn.spatial._algebra cimport Mat3, Vec3

cdef enum ThingKind:
    TRIANGLES = 0
    BALL = 1                  # size: radius
    CAPSULE = 2               # radius, half the distance of the centres
    CYLINDER = 3              # radius, half height
    CONE = 4                  # radius, half height
    ELLIPSOID = 5             # semi-axes
    PLANE = 6                 # z = 0 of its frame, seen from above, without end

cdef struct Thing:            # what can be seen
    int kind                  # ThingKind
    int n_vertices, n_faces
    const double* vertex      # (n_vertices, 3) its own frame [m]; of round things for shadows alone
    const double* normal      # (n_vertices, 3) unit
    const int* face           # (n_faces, 3)
    bint one_sided            # only its outside can be seen
    bint hidden
    Vec3 size
    Vec3 center               # of a ball that holds it, its own frame [m]
    double radius             # of that; infinite of a plane
    Vec3 half                 # half sides of its box about `center` [m]
    float[3] color            # linear, 0 to 1
    # in this picture
    Mat3 R                    # its axes to the camera's
    Vec3 p                    # its origin, camera axes [m]
    Mat3 R_world              # its axes to the world's
    int first_vertex          # of its own, in the array of all

cdef struct Lens:
    double fx, fy, cx, cy     # [pixels]
    double ix, iy             # 1 / fx, 1 / fy
    int width, height
    double near, far          # depths that are seen [m]; far may be infinite

cdef struct Line:             # a function that is linear over the picture: a u + b v + c
    double a, b, c

cdef struct Facet:            # a triangle, as seen
    Line[3] edge              # each >= 0 on the side of the triangle; shares of the corners opposite, up to a factor
    double[3] least           # above which an edge's value is within: one of two neighbours has what is on the edge
    Line nearness             # 1 / depth of its plane [1/m]
    int[4] box                # columns from, to (exclusive), rows from, to
    int thing
    int[3] corner             # numbers in the array of all vertices
    bint back                 # it is seen from behind

cdef struct Round:            # a round thing, as seen, or a plane
    int thing
    int[4] box
    Vec3 eye                  # the camera in its frame [m]
    Mat3 to_own               # camera axes to its own
    Line nearness             # of a plane
    double fading             # of a plane: by the square of a distance from the eye [1/m^2]

cdef struct Corner:           # a vertex in the camera's frame, and how it is lit
    double[3] x               # [m]
    double u, v               # where it is in the picture, if it is before the camera
    float toward, up          # its normal along the light, and along the world's z

cdef inline double at(const Line* f, double u, double v) noexcept nogil:
    """Value of a linear function; exactly the negative for the negated function."""
    return (f.b * v + f.c) + f.a * u

cdef inline Vec3 ray(const Lens* lens, double u, double v) noexcept nogil:
    """Through a place in the picture, of depth 1."""
    cdef Vec3 d
    d.x, d.y, d.z = (u - lens.cx) * lens.ix, (v - lens.cy) * lens.iy, 1.0
    return d
