# A pool of threads, in C (pool.h).  A task may be called in any order and by any worker, so that it must not depend on
# either; it holds no GIL.

cdef extern from "pool.h" nogil:
    ctypedef void (*PoolTask)(void* context, int worker, int k) noexcept nogil
    ctypedef struct Pool:
        int n                # workers, the caller among them

    const bint POOL_HAS_THREADS
    Pool* pool_make(int n)
    void pool_end(Pool* pool)
    void pool_run(Pool* pool, PoolTask task, void* context, int count)
