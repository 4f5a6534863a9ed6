# What every part of collision detection speaks of: poses, shapes in C, contacts.

from libc.stdint cimport uint64_t

from rbdyn.spatial._algebra cimport Mat3, Vec3


cdef enum Kind:                    # in the order in which a pair's kernel takes them
    HALF_SPACE
    SPHERE
    CAPSULE
    BOX
    CYLINDER
    HULL

cdef struct Pose:                  # world pose of a body, or of a shape
    Mat3 R                         # its axes to world axes
    Vec3 p                         # its origin, world [m]

cdef struct ShapeRecord:           # one shape of the table, written by CollisionBackend
    int id                         # given at add_shape, never reused
    int body                       # index of the body that carries it
    int kind                       # Kind
    bint dynamic                   # False: never collides with another one that is not dynamic
    bint aligned                   # True: local.R is the identity
    uint64_t group, mask           # filter bits
    double radius                  # [m] sphere, capsule, cylinder
    double half_length             # [m] capsule: to a ball's centre; cylinder: to a cap
    double bound                   # [m] radius of the bounding sphere about `center`
    Vec3 center                    # centre of the bounding box, shape frame [m]
    Vec3 half                      # half sides of the bounding box along the shape's axes [m]
    Vec3 center_body               # `center` in the body frame [m]
    Pose local                     # the shape in its body: shape axes to body axes; origin, body frame
    const double* vertices         # (n_vertices, 3) corners of a hull, shape frame [m]; owned by Python
    int n_vertices
    const double* normals          # (n_faces, 3) outward unit normals of a hull's faces, shape frame
    const int* start               # (n_faces + 1,) where each face begins in `corner`
    const int* corner              # vertex numbers, counter-clockwise seen from outside
    int n_faces

cdef struct ContactPoint:
    int shape_a, shape_b           # shape ids, shape_a < shape_b
    int body_a, body_b             # body indices of these shapes
    int feature                    # which contact of this pair: stable from step to step, for the warm start
    Vec3 position                  # world [m], midway between the two surfaces
    Vec3 normal                    # world, unit, points into shape A
    double depth                   # [m] > 0 penetration, < 0 gap (only if margin > 0)

cdef struct ContactBuffer:         # grows by doubling; begin with buffer_init, end with buffer_free
    int version                    # CONTACT_VERSION; a buffer of another layout is refused
    int n                          # contacts in use
    int capacity                   # contacts that fit
    ContactPoint* point            # sorted by (shape_a, shape_b, feature)
