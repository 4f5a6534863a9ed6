# The contact problem of one step while sources write it: arrays that grow and are used again.
#
# Every source says how much it will write (Count) and gets its Share: so cones come first, whatever the order of the
# sources.  Then it begins its blocks one after the other, and says of each on what it acts.

from libc.math cimport INFINITY

from rbdyn.contact.problem cimport BILATERAL, CONE, DISC, Block, ContactProblem, Entry, Entry3, Key, RowSide
from rbdyn.spatial._algebra cimport Mat3, Vec3, scale3, sub3, vec3
from rbdyn.stepping.links cimport Link
from rbdyn.stepping.scene cimport SINGLE_BODY, SYSTEM_BODY, BodyHandle, Scene, System
from rbdyn.stepping.written cimport Builder, Count, Share

cdef void builder_free(Builder* b) noexcept
cdef int begin_problem(Builder* b, const Scene* scene, Count total) except -1 nogil
cdef int end_problem(Builder* b) except -1 nogil
cdef void prepare_system(System* s) noexcept nogil
cdef void close_cone(Builder* b) noexcept nogil
cdef void close_row(Builder* b) noexcept nogil
cdef void end_cone(Builder* b, double mass, double mobility, Vec3 bend) noexcept nogil
cdef int add_system_point(Builder* b, System* s, int body, Vec3 at, const Mat3* E, double sign) except -1 nogil
cdef int add_coordinate(Builder* b, System* s, int dof, double sign) except -1 nogil
cdef int add_dense_row(Builder* b, System* s, const double* y, double sign) except -1 nogil
cdef int add_loop_direction(Builder* b, System* s, int loop, int k, double sign) except -1 nogil
cdef int add_system_axis(Builder* b, System* s, int body, Vec3 axis, double sign) except -1 nogil
cdef int add_push(Builder* b, const Scene* s, const BodyHandle* body, Vec3 at, Vec3 push,
                  Vec3 moment) except -1 nogil

cdef inline void write3(double* out, Vec3 a) noexcept nogil:
    out[0], out[1], out[2] = a.x, a.y, a.z

cdef inline void use_system(System* s) noexcept nogil:
    """Make its factors, and its bodies' free velocities, ready for constraints, once a step."""
    if not s.work.active:
        prepare_system(s)

cdef inline void begin_cone(Builder* b, const Mat3* E, Vec3 v_start, Vec3 v_free, double depth, double target,
                            double position_target, double friction, Key key) noexcept nogil:
    """The next cone: rows of E are its axes, the velocities [m/s] are along them, the targets along the normal."""
    cdef int i = b.n_cones
    close_cone(b)
    write3(b.frame + 9 * i, vec3(E.xx, E.xy, E.xz))
    write3(b.frame + 9 * i + 3, vec3(E.yx, E.yy, E.yz))
    write3(b.frame + 9 * i + 6, vec3(E.zx, E.zy, E.zz))
    write3(b.v_start + 3 * i, v_start)
    write3(b.v_free + 3 * i, vec3(v_free.x, v_free.y, v_free.z - target))
    write3(b.target + 3 * i, vec3(0.0, 0.0, target))
    write3(b.position_target + 3 * i, vec3(-INFINITY, -INFINITY, position_target))
    write3(b.depth + 3 * i, vec3(0.0, 0.0, depth))
    write3(b.drive + 3 * i, vec3(0.0, 0.0, 0.0))
    b.block[i] = Block(law=CONE, first_row=3 * i, rows=3, partner=-1, a=friction, b=0.0, compliance=0.0, key=key)
    b.single_a[i] = b.single_b[i] = -1
    b.entry3_start[i] = b.n_entries3
    b.n_cones = i + 1

cdef inline void drive_cone(Builder* b, Vec3 drive) noexcept nogil:
    """The part of the velocity of the cone begun last that kinematic bodies make [m/s], along its axes."""
    if drive.x != 0.0 or drive.y != 0.0 or drive.z != 0.0:
        write3(b.drive + 3 * (b.n_cones - 1), drive)
        b.driven = True

cdef inline int add_point(Builder* b, const Scene* s, const BodyHandle* body, Vec3 at, const Mat3* E,
                          double sign) except -1 nogil:
    """The cone begun last acts on `body` at the point `at` (world), with sign 1 on its side A, -1 on its side B."""
    cdef int i = b.n_cones - 1
    if body.kind == SYSTEM_BODY:
        return add_system_point(b, s.system + body.index, body.body, at, E, sign)
    if body.kind == SINGLE_BODY and s.single_scratch[body.index].inverse_mass > 0.0:
        if sign > 0.0:
            b.single_a[i] = body.index
            write3(b.arm_a + 3 * i, sub3(at, s.single_state[body.index].p))
        else:
            b.single_b[i] = body.index
            write3(b.arm_b + 3 * i, sub3(at, s.single_state[body.index].p))
    return 0

cdef inline void add_row(Builder* b, double v_start, double v_free) noexcept nogil:
    """The next row of the block begun last, without targets."""
    cdef int r = b.n_rows, row = 3 * b.problem.n_cones + r
    close_row(b)
    b.v_start[row], b.v_free[row] = v_start, v_free
    b.target[row] = b.depth[row] = 0.0
    b.position_target[row] = -INFINITY
    b.bend[r] = 0.0
    b.side[2 * r].body = b.side[2 * r + 1].body = -1
    b.entry_start[r], b.term_start[r] = b.n_entries, b.n_terms
    b.told = True
    b.n_rows = r + 1

cdef inline void begin_row(Builder* b, int law, double low, double high, double v_start, double v_free, double depth,
                           double target, double position_target, Key key) noexcept nogil:
    """The next block of one row, with the bounds of a box [N s]; velocities and targets in [m/s or rad/s]."""
    cdef int cones = b.problem.n_cones, r = 3 * cones + b.n_rows
    b.block[cones + b.n_blocks] = Block(law=law, first_row=r, rows=1, partner=-1, a=low, b=high, compliance=0.0,
                                        key=key)
    b.n_blocks += 1
    add_row(b, v_start, v_free - target)
    b.target[r] = target
    b.position_target[r] = position_target
    b.depth[r] = depth

cdef inline void begin_block(Builder* b, int law, int rows, Key key) noexcept nogil:
    """The next block, of several rows, which follow."""
    cdef int cones = b.problem.n_cones
    b.block[cones + b.n_blocks] = Block(law=law, first_row=3 * cones + b.n_rows, rows=rows, partner=-1, a=0.0, b=0.0,
                                        compliance=0.0, key=key)
    b.n_blocks += 1

cdef inline void begin_disc(Builder* b, int rows, double coefficient, int partner, Key key) noexcept nogil:
    """The next block: moments of at most `coefficient` [m] times the normal impulse of a cone; its rows follow."""
    cdef int cones = b.problem.n_cones
    b.block[cones + b.n_blocks] = Block(law=DISC, first_row=3 * cones + b.n_rows, rows=rows, partner=partner,
                                        a=coefficient, b=0.0, compliance=0.0, key=key)
    b.n_blocks += 1

cdef inline void begin_bilateral(Builder* b, int rows, Key key) noexcept nogil:
    """The next block: rows that hold together; they follow."""
    cdef int cones = b.problem.n_cones
    b.block[cones + b.n_blocks] = Block(law=BILATERAL, first_row=3 * cones + b.n_rows, rows=rows, partner=-1,
                                        a=0.0, b=0.0, compliance=0.0, key=key)
    b.n_blocks += 1

cdef inline void aim_row(Builder* b, double target, double position_target) noexcept nogil:
    """Targets of the row begun last [m/s or rad/s]."""
    cdef int row = 3 * b.problem.n_cones + b.n_rows - 1
    b.v_free[row] -= target
    b.target[row], b.position_target[row] = target, position_target

cdef inline void bend_row(Builder* b, double half, const Link* link) noexcept nogil:
    """Half of what turns out of the row begun last in the step [m/s or rad/s]: over its mean nothing is asked.

    Velocities that a user set have turned by none of it: in the first step of a constraint it is no matter of energy.
    """
    cdef int row = 3 * b.problem.n_cones + b.n_rows - 1
    b.v_start[row] -= half
    b.v_free[row] += half
    if link.done.dt > 0.0:
        b.bend[b.n_rows - 1] = half
        b.bends = True

cdef inline int add_axis(Builder* b, const Scene* s, const BodyHandle* body, Vec3 axis, double sign) except -1 nogil:
    """The row begun last acts on the angular velocity of `body` about an axis (world), with a sign as in add_point."""
    cdef RowSide* side
    if body.kind == SYSTEM_BODY:
        return add_system_axis(b, s.system + body.index, body.body, axis, sign)
    if body.kind == SINGLE_BODY and s.single_scratch[body.index].inverse_mass > 0.0:
        side = b.side + 2 * (b.n_rows - 1) + (sign < 0.0)
        side.body = body.index
        write3(side.linear, vec3(0.0, 0.0, 0.0))
        write3(side.angular, scale3(sign, axis))
    return 0

cdef inline void gather_cone(const ContactProblem* p, int i, System* s) noexcept nogil:
    """z <- z + Y^T lambda over the entries of cone i that belong to the system."""
    cdef const double* l = p.impulse + 3 * i
    cdef const Entry3* y
    cdef int k, z
    for k in range(p.entry3_start[i], p.entry3_start[i + 1]):
        y = p.entry3 + k
        z = y.coordinate - s.work.coordinate
        if 0 <= z < s.m.nv:
            s.work.z[z] += y.x * l[0] + y.y * l[1] + y.n * l[2]

cdef inline void gather_row(const ContactProblem* p, int row, System* s) noexcept nogil:
    """z <- z + Y^T lambda over the entries of a row that is no cone's which belong to the system."""
    cdef int r = row - 3 * p.n_cones, k, z
    for k in range(p.entry_start[r], p.entry_start[r + 1]):
        z = p.entry[k].coordinate - s.work.coordinate
        if 0 <= z < s.m.nv:
            s.work.z[z] += p.entry[k].y * p.impulse[row]

cdef inline void gather_rows(const Scene* s, const ContactProblem* p, Share share) noexcept nogil:
    """Likewise of all rows of a source whose keys begin with the handle of a system, each a block."""
    cdef System* r = s.system
    cdef int i
    for i in range(share.block, share.block_end):
        while r.handle != <int> p.block[i].key.id_a:
            r += 1
        gather_row(p, p.block[i].first_row, r)
