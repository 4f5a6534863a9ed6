# Which pairs of shapes may touch: sort and sweep along one axis; half-spaces apart, and what is fixed in a tree.
#
# Source: C. Ericson, Real-Time Collision Detection (RTCD, 2005), section 7.5.  Shapes that
# the filters let collide with nothing but half-spaces never enter the sweep, so that a robot without
# self-collision costs one dot product a shape.

from rbdyn.collision._types cimport BodyMotions, Pose
from rbdyn.collision.broad_phase.fixed cimport Fixed
from rbdyn.collision.broad_phase.sorting cimport Entry, Pair
from rbdyn.collision.motion.path cimport Path
from rbdyn.collision.shape_table cimport Table
from rbdyn.memory cimport Arena
from rbdyn.spatial._algebra cimport Vec3


cdef struct BoundingSphere:        # of a shape that is no half-space
    Vec3 center                    # body frame [m]
    double radius                  # [m]
    double far                     # [m] ShapeRecord.far
    int body, slot

cdef struct BodySpheres:           # those of one body that follow on one another
    int body, first, end           # Broad.sphere[first:end]
    double far                     # [m] of no point of them farther from the body's origin
    double reach                   # [m] nor of their bounding spheres
    double travel                  # [m] how far any point of them gets in this step; 0: they rest
    Vec3 low, high                 # [m] corners of the box that holds these spheres, body axes
    bint alone                     # whether any of them is `alone`

cdef enum:
    BLOCK = 32                     # entries that the sweep compares at once
    ROWS_A_LOOK = 256              # entries swept between two looks for signals
    MAX_PAIRS = 1 << 23            # candidates of one step: with their scratch copy 128 MB
    FEW = 512                      # shapes, among which it is asked who meets none of the others

cdef struct Columns:               # the sorted entries again, by column, for the vector unit
    float* lo0                     # (n_entry + BLOCK,) each; those past the end overlap nothing
    float* lo1
    float* hi1
    float* lo2
    float* hi2

cdef struct Broad:                 # all zero: of no shapes, with no memory
    int revision                   # of the table, when the lists below were built; -1: to be built
    int capacity                   # slots that fit in the lists below
    int axis                       # sweep axis: 0, 1 or 2
    bint sorted                    # False: `entry` is in no particular order
    int n_half, n_sphere, n_group, n_entry
    int n_dynamic                  # groups of what contacts move, which come first
    Arena memory                   # of the lists below
    int* half                      # (n_half,) slots of half-spaces
    BoundingSphere* sphere         # (n_sphere,)
    BodySpheres* group             # (n_group,)
    bint* partner                  # (table.n,) whether it may collide with anything but half-spaces
    bint* aloof                    # (table.n,) of dynamic ones: whether it meets none of the dynamic ones
    bint* alone                    # (table.n,) whether it meets only what is fixed now, and so is not swept
    Fixed fixed                    # those that stay where they are; the others are swept
    Entry* bounds                  # (n_entry,) by slot: shapes are asked in the order in which they lie in memory
    int* place                     # (table.n,) where in `bounds` a slot is, of those that are swept
    Entry* entry                   # (n_entry,) the same, sorted by (lo0, slot) after each sweep
    Columns column
    bint* posed                    # (table.n,) True: world_pose is filled by the sweep
    Pose* world_pose               # (table.n,) this step's world poses, where needed
    double* travel                 # (table.n,) [m] how far any point of the shape gets in this step; 0: it rests
    Path* path                     # (table.n,) this step's, where there is a pose
    int* count                     # (table.n + 1,) buckets of the counting sort
    int n_pair
    size_t pair_room, scratch_room
    Pair* pair                     # (n_pair,) sorted candidates of this step
    Pair* pair_scratch             # (n_pair,)

cdef void broad_free(Broad* broad) noexcept nogil
cdef int find_pairs(Broad* broad, const Table* table, const Pose* body_pose, BodyMotions motions) except -1 nogil
