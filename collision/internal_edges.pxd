# Ghost contacts at internal edges: where a surface of several shapes goes on, its shapes' edges block nothing.
#
# A body that slides over two flush boxes meets the side of the second one.  That pair alone cannot be told from a body
# pressed against a wall; all contacts of the body together can.  Let the body's shape a touch shape b along the normal
# n, and its shape a' touch b' along the normal m, where b and b' do not move relative to each other.  If a and b lie no
# deeper in each other along m than a' and b' do, the contact along m keeps a and b apart, too.  The contact along n is
# needless then, and a ghost contact where the motion runs against it.  This holds for bodies that do not turn much:
# what may turn about the contact along m in this step, now or by an impact, keeps the contacts that are away from it.
#
# Source: P. Terdiman, Contact generation for meshes (2015), for a test among all contacts of a body.

from rbdyn.collision._types cimport BodyMotions, ContactBuffer, Pose, ShapeRecord
from rbdyn.collision.shape_table cimport Table

cdef struct Run:                   # the contacts of one pair of shapes
    int first, end                 # in the buffer
    const ShapeRecord* a           # the dynamic shape; of two, that of the body with the lower index
    const ShapeRecord* b           # the other one
    double sign                    # 1: normals point into a; -1: into b
    int previous                   # the run before it in its list, or -1

cdef struct Runs:                  # all zero: none, with no memory
    size_t room, room_bodies
    Run* run
    int* latest                    # the last run in each list, or -1

cdef void free_runs(Runs* runs) noexcept nogil
cdef int drop_ghosts(Runs* runs, const Table* table, const Pose* pose, BodyMotions motions, int n_bodies,
                     ContactBuffer* out) except -1 nogil
