# What every part of collision detection speaks of: poses, shapes in C, contacts.

from libc.stdint cimport uint64_t

from rbdyn.spatial._algebra cimport Mat3, Motion, Vec3


cdef enum Kind:                    # in the order in which a pair's kernel takes them
    HALF_SPACE
    SPHERE
    CAPSULE
    BOX
    CYLINDER
    HULL
    ELLIPSOID
    CONE
    SUPPORT                        # whatever a user's support function says
    TRIANGLE                       # a piece of the two that follow; no shape of its own
    MESH
    HEIGHT_MAP
    N_KINDS

cdef struct Pose:                  # world pose of a body, or of a shape
    Mat3 R                         # its axes to world axes
    Vec3 p                         # its origin, world [m]

cdef enum Calm:                    # of a body in a step
    RESTLESS = 0
    ASLEEP = 1                     # what it touches is known
    STANDING = 2                   # no impulse moves it, and it does not move

cdef struct BodyMotions:           # how the bodies move until the step's end
    const char* calm               # (n,) Calm; two that are calm need not be looked at.  NULL: all are restless
    const Motion* of               # (n_bodies,) rotation vector [rad], displacement of the origin [m]; NULL: they rest
    double beyond                  # [m] how much farther accelerations may take any point

cdef struct Bounds:                # the shape lies in center + box + ball + ellipsoid (Minkowski sum), shape frame
    double radius                  # [m] of the bounding sphere about `center`
    Vec3 center                    # [m]
    Vec3 box                       # half sides along the axes [m]
    double ball                    # radius [m]; of a convex shape: the radius around its core
    Vec3 ellipsoid                 # semi-axes along the axes [m]
    bint centered                  # True: center is zero
    bint curved                    # True: ellipsoid is not zero
    bint round                     # True: only ball is not zero, the extent is the same in every direction

cdef enum:
    MAX_SIDES = 16                 # corners of a face; faces with more are thinned out

cdef struct SupportingFeature:     # the face, edge or point of a convex shape that is farthest in a direction
    int n                          # 1: a point, 2: an edge, more: a face
    bint flat                      # True: a face, with `normal`
    Vec3 normal                    # outward unit normal, world
    Vec3 point[MAX_SIDES]          # corners in order around the face, on the surface, world [m]
    int name[MAX_SIDES]            # numbers of the corners in their shape

cdef struct ShapeRecord

cdef struct PosedShape:            # a shape where it is now
    const ShapeRecord* s
    const Pose* X                  # shape axes to world axes; origin, world [m]

cdef enum Core:                    # of what sort the core of a convex shape is: kernels/core.pxd
    BOX_CORE                       # bounds.box: a point, a segment, a box
    CYLINDER_CORE                  # along z: half height bounds.box.z, radius bounds.ellipsoid.x
    HULL_CORE                      # the vertices of HullData, which the data begins with
    OWN_CORE                       # ConvexShape.support

cdef struct ConvexShape:           # what the general kernel asks of a convex shape
    int core                       # Core
    # of an OWN_CORE: its point farthest along a direction (any length), both in the shape frame; otherwise NULL
    Vec3 (*support)(const void* data, Vec3 direction) noexcept nogil
    # the supporting feature along a unit direction, both in the world
    void (*feature)(const PosedShape* a, Vec3 direction, SupportingFeature* f) noexcept nogil

cdef struct ShapeRecord:           # one shape of the table, written by CollisionBackend
    int id                         # given at add_shape, never reused
    int body                       # index of the body that carries it
    int kind                       # Kind: says what `data` points to
    bint dynamic                   # False: never collides with another one that is not dynamic
    bint surroundings              # True: of the world itself, and of no link: filters.pxd
    bint aligned                   # True: local.R is the identity
    uint64_t group, mask           # filter bits
    Bounds bounds
    Vec3 center_body               # bounds.center in the body frame [m]
    double far                     # [m] no point of it is farther from the body's origin
    Pose local                     # the shape in its body: shape axes to body axes; origin, body frame
    const void* data               # the sizes: SphereData, BoxData, ... of shapes/; owned by Python
    int core                       # Core: a copy of convex.core
    const ConvexShape* convex      # NULL: not convex, or unbounded

cdef struct ContactPoint:
    int shape_a, shape_b           # shape ids, shape_a < shape_b
    int body_a, body_b             # body indices of these shapes
    int feature                    # which contact of this pair: stable from step to step, for the warm start
    Vec3 position                  # world [m], midway between the two surfaces, or where they will meet
    Vec3 normal                    # world, unit, points into shape A
    double depth                   # [m] > 0 penetration, < 0 gap that may close
    # From `position` to where it is seen from A and from B now, world [m].  Zero, unless they meet later in the step:
    # then `position`, `normal` and the moment arms are those of that time, and each body has its own way to go.
    Vec3 to_a, to_b
    # Of two that meet later: after which share of the step, and how deep they are in each other then.  -1: they are
    # near now.
    double time, depth_then
    bint fast                      # they come by a good part of their size in the step, or of a thin one's thickness

cdef struct ContactBuffer:         # grows by doubling; begin with buffer_init, end with buffer_free
    int version                    # CONTACT_VERSION; a buffer of another layout is refused
    int n                          # contacts in use
    int capacity                   # contacts that fit
    int limit                      # contacts that may be written at most
    ContactPoint* point            # sorted by (shape_a, shape_b, feature)
