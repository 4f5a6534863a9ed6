"""Memory from step to step beside the state: contacts, warm starts, trails, overlaps, pairs of shapes."""

from libc.limits cimport INT_MAX
from libc.string cimport memset

from rbdyn.archive cimport CHECK, LOAD, Archive, keep, keep_count
from rbdyn.collision._types cimport ContactPoint, Pose
from rbdyn.collision.backends.native cimport NativeBackend
from rbdyn.collision.contact_buffer cimport reserve as reserve_contacts
from rbdyn.collision.kernels.known_push cimport KnownPush
from rbdyn.collision.motion.pair_memory cimport Clearance, PairMemory, PairRecord
from rbdyn.collision.overlap cimport Overlap
from rbdyn.contact.problem cimport STAGES, Key
from rbdyn.contact.solver cimport Counts
from rbdyn.contact.warm_start cimport WarmStart, reserve
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Vec3
from rbdyn.stepping.assemble cimport begin_found
from rbdyn.stepping.pair_history cimport Trail
from rbdyn.stepping.scene cimport Rest
from rbdyn.stepping.sleeping cimport KeptBlock, reserve_slumber


cdef void keep_points(Archive* a, ContactPoint* point, int n) noexcept:
    """Where contacts are."""
    cdef ContactPoint* c
    cdef int k
    for k in range(n):
        c = point + k
        keep(a, &c.shape_a, 5 * sizeof(int))             # to `feature`
        keep(a, &c.position, sizeof(Vec3))
        keep(a, &c.normal, sizeof(Vec3))
        keep(a, &c.depth, sizeof(double))
        keep(a, &c.to_a, sizeof(Vec3))
        keep(a, &c.to_b, sizeof(Vec3))
        keep(a, &c.time, sizeof(double))
        keep(a, &c.depth_then, sizeof(double))
        keep(a, &c.fast, sizeof(bint))


cdef int keep_slumber(Archive* a, const Scene* s, Slumber* z) except -1:
    """Which systems sleep, and the contacts and rows of what sleeps."""
    cdef int n = keep_count(a, z.n, INT_MAX // 1000)
    cdef int blocks = keep_count(a, z.n_blocks, INT_MAX // 1000)
    cdef int k
    if a.mode == CHECK:
        reserve_slumber(z, n, blocks)
    if a.mode == LOAD:
        z.n, z.n_blocks = n, blocks
        memset(z.system, 0, s.n_bodies * sizeof(Rest))
    for k in range(s.n_system):
        keep(a, z.system + s.system[k].handle, sizeof(Rest))
    keep(a, z.block, blocks * sizeof(KeptBlock))
    keep_points(a, z.point, n)
    keep(a, z.impulse, n * sizeof(Vec3))
    keep(a, z.island, n * sizeof(long))
    keep(a, &z.found, sizeof(int))
    keep(a, &z.stirred, sizeof(bint))
    return 0


cdef int keep_contacts(Archive* a, Assembly* assembly, const Scene* s, ContactBuffer* found, bint known) except -1:
    """Contacts of the latest detection, and if they are known their impulses; the equations for these are not kept."""
    cdef int n = keep_count(a, found.n, INT_MAX // 1000)
    cdef int solved = keep_count(a, n if known else 0, n)
    if a.mode == CHECK and n > found.n and not reserve_contacts(found, n - found.n):
        raise MemoryError(f"no room for {n} contacts")
    if a.mode == LOAD:
        begin_found(assembly, s, solved)
        found.n = n
    keep_points(a, found.point, n)
    keep(a, assembly.builder.impulse, 3 * solved * sizeof(double))
    keep(a, assembly.builder.frame, 9 * solved * sizeof(double))
    return 0


cdef int keep_warm_start(Archive* a, WarmStart* w, size_t* reallocations) except -1:
    cdef int n = keep_count(a, w.n, INT_MAX // 100)
    cdef int blocks = keep_count(a, w.n_blocks, INT_MAX // 100)
    cdef int rows = keep_count(a, w.n_rows, INT_MAX // 100)
    if a.mode == CHECK:
        reserve(w, n, blocks, rows, reallocations)
    if a.mode == LOAD:
        w.n, w.n_blocks, w.n_rows = n, blocks, rows
    keep(a, w.key, n * sizeof(Key))
    keep(a, w.impulse, n * sizeof(Vec3))
    keep(a, w.block_key, blocks * sizeof(Key))
    keep(a, w.block_rows, blocks * sizeof(int))
    keep(a, w.row_impulse, rows * sizeof(double))
    return 0


cdef int keep_solver(Archive* a, ContactSolver solver) except -1:
    """What it begins the next step with, and how its latest solve went."""
    keep_warm_start(a, &solver.memory, &solver.reallocations)
    keep(a, &solver.direction, sizeof(int))
    keep(a, &solver.iterations, sizeof(int))
    keep(a, &solver.error, sizeof(double))
    keep(a, &solver.converged, sizeof(bint))
    return 0


cdef int keep_counts(Archive* a, ContactSolver solver) except -1:
    """What it counted since the latest call of `step`: `counted` bytes of two solvers."""
    cdef Counts* c = &solver.counts
    keep(a, &c.steps, sizeof(long))
    keep(a, &c.unconverged, sizeof(long))
    keep(a, c.ended, STAGES * sizeof(long))
    keep(a, &c.iterations, sizeof(long))
    keep(a, &c.worst, sizeof(double))
    keep(a, &c.worst_body, sizeof(int))
    if a.mode == LOAD:
        c.named = False
    return 0


cdef int keep_overlaps(Archive* a, PairTable* o) except -1:
    cdef int k, n = keep_count(a, o.n, INT_MAX // 100)
    cdef Overlap* one
    if a.mode == CHECK:
        grow(<void**> &o.now, &o.room[0], n, sizeof(Overlap))
    if a.mode == LOAD:
        o.n = n
    for k in range(n):
        one = <Overlap*> o.now + k
        keep(a, &one.a, sizeof(int))
        keep(a, &one.b, sizeof(int))
        keep(a, &one.depth, sizeof(double))
        keep(a, &one.asked, sizeof(double))
        keep(a, &one.left, sizeof(bint))
        keep(a, &one.born, sizeof(bint))
        keep(a, &one.seen, sizeof(double))
        keep(a, &one.there, sizeof(Pose))
        if a.mode == LOAD:
            one.passed = False
    return 0


cdef int keep_trails(Archive* a, PairTable* t) except -1:
    cdef int n = keep_count(a, t.n, INT_MAX // 100)
    if a.mode == CHECK:
        grow(<void**> &t.now, &t.room[0], n, sizeof(Trail))
    if a.mode == LOAD:
        t.n = n
    keep(a, t.now, n * sizeof(Trail))
    return 0


cdef int keep_pairs(Archive* a, CollisionBackend backend) except -1:
    """Pass the memory of pairs of a NativeBackend: slots are those of the present table of shapes."""
    cdef PairMemory* m
    cdef bint present
    cdef int n, pushes, clearances
    if not isinstance(backend, NativeBackend):
        return 0
    m = &(<NativeBackend> backend).memory
    present = m.revision == backend.table.revision
    n = keep_count(a, m.new.n if present else 0, INT_MAX // 100)
    pushes = keep_count(a, m.new.n_push if present else 0, INT_MAX // 1000)
    clearances = keep_count(a, m.new.n_clear if present else 0, INT_MAX // 1000)
    if a.mode == CHECK:
        grow(<void**> &m.new.record, &m.new.room, n, sizeof(PairRecord))
        grow(<void**> &m.new.push, &m.new.push_room, pushes, sizeof(KnownPush))
        grow(<void**> &m.new.clear, &m.new.clear_room, clearances, sizeof(Clearance))
    if a.mode == LOAD:
        m.new.n, m.new.n_push, m.new.n_clear, m.revision = n, pushes, clearances, backend.table.revision
    keep(a, m.new.record, n * sizeof(PairRecord))
    keep(a, m.new.push, pushes * sizeof(KnownPush))
    keep(a, m.new.clear, clearances * sizeof(Clearance))
    return 0
