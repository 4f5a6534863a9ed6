"""All islands of a problem, by one worker or by several at a time."""

from libc.stdlib cimport calloc, free

from rbdyn.contact.islands cimport Islands, close_islands, open_islands
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solve.island cimport solve_island
from rbdyn.contact.solve.newton cimport release_newton
from rbdyn.contact.solve.settings cimport Settings, most_iterations
from rbdyn.memory cimport grow
from rbdyn.pool cimport POOL_HAS_THREADS, Pool, pool_end, pool_make, pool_run
from rbdyn.rounding cimport give_back_rounding, take_rounding

cdef extern from "Python.h" nogil:
    bint PyGILState_Check()

HAS_THREADS = bool(POOL_HAS_THREADS)                   # whether several workers work at a time

cdef struct Work:                                      # what the workers share
    Islands* islands
    Crew* crew
    const Settings* settings


cdef int hire(Crew* crew, int n) except -1:
    """A crew of n; an old one of another size goes."""
    cdef Worker* worker
    cdef Pool* pool
    if n == crew.n:
        return 0
    worker, pool = <Worker*> calloc(n, sizeof(Worker)), pool_make(n)
    if worker == NULL or pool == NULL:
        free(worker)
        pool_end(pool)
        raise MemoryError(f"the system has no room for {n} threads")
    release(crew)
    crew.n, crew.worker, crew.pool = n, worker, pool
    return 0


cdef void release(Crew* crew) noexcept nogil:
    """Give all memory back."""
    cdef int k
    pool_end(crew.pool)
    for k in range(crew.n):
        release_newton(&crew.worker[k].newton)
        free(crew.worker[k].history)
    free(crew.worker)
    crew.n, crew.worker, crew.pool = 0, NULL, NULL


cdef size_t reallocations(const Crew* crew) noexcept nogil:
    """How often the workers asked for memory."""
    cdef size_t total = 0
    cdef int k
    for k in range(crew.n):
        total += crew.worker[k].reallocations + crew.worker[k].newton.reallocations
        total += crew.worker[k].newton.space.reallocations + crew.worker[k].newton.matrix.reallocations
        total += crew.worker[k].newton.couplings.reallocations
    return total


cdef int prepare(Worker* w, const Settings* settings, const ContactProblem* p) except -1 nogil:
    """Room for the errors, and nothing solved yet."""
    w.reallocations += grow(<void**> &w.history, &w.history_capacity,
                            most_iterations(settings), sizeof(double))
    w.problem = p[0]
    w.problem.iterations = 0
    w.failed = False
    return 0


cdef int solve_one(Islands* all, int k, Worker* w, const Settings* settings) except -1 nogil:
    """Island k."""
    solve_island(all.island + k, &w.newton, settings, &w.problem, w.history)
    w.problem.iterations = max(w.problem.iterations, all.island[k].iterations)
    return 0


cdef void take(void* context, int worker, int k) noexcept nogil:
    """Island k, for a thread: what would raise, for want of memory, is noted and raised by the caller."""
    cdef Work* work = <Work*> context
    cdef Worker* w = work.crew.worker + worker
    cdef unsigned rounding = take_rounding()             # threads have the mode of the one that started them
    cdef int status = (<int (*)(Islands*, int, Worker*, const Settings*) noexcept nogil> solve_one)(
        work.islands, k, w, work.settings)
    give_back_rounding(rounding)
    w.failed |= status != 0


cdef int gather(Crew* crew) except -1 nogil:
    """The first worker's history becomes that of all."""
    cdef Worker* first = crew.worker
    cdef Worker* w
    cdef int k, i
    for k in range(crew.n):
        if crew.worker[k].failed:
            with gil:
                raise MemoryError("no memory to solve an island of contacts")
    for k in range(1, crew.n):
        w = crew.worker + k
        for i in range(w.problem.iterations):
            first.history[i] = max(first.history[i], w.history[i]) if i < first.problem.iterations else w.history[i]
        first.problem.iterations = max(first.problem.iterations, w.problem.iterations)
    return 0


cdef int solve_islands(Islands* all, Crew* crew, const Settings* settings, ContactProblem* p) except -1 nogil:
    """Solve p from the impulses it holds, island by island.

    Writes impulse, iterations, error and converged; the first worker's history has the largest error of each sweep or
    step of Newton's method.
    """
    cdef Work work = Work(all, crew, settings)
    cdef int k, workers = crew.n
    open_islands(all, p)
    # who raises in a thread would wait for ever for a GIL that the caller holds
    if all.n < 2 or PyGILState_Check():
        workers = 1
    for k in range(workers):
        prepare(crew.worker + k, settings, p)
    if workers > 1:
        pool_run(crew.pool, take, &work, all.n)
        gather(crew)
    else:
        for k in range(all.n):
            solve_one(all, k, crew.worker, settings)
    close_islands(all, p)
    return 0
