"""One World's copies taken along given controls, from given states: a sample at a time on each thread."""

cimport numpy as cnp

import numpy as np

from rbdyn.errors import DivergenceError

from cpython.exc cimport PyErr_CheckSignals
from libc.string cimport memcpy

from rbdyn.arguments.arrays cimport data
from rbdyn.parallel.stepper cimport begin, deaf, parts, run
from rbdyn.pool cimport Pool, pool_end, pool_make, pool_run
from rbdyn.rounding cimport give_back_rounding, take_rounding
from rbdyn.signals cimport Signals
from rbdyn.stepping.scene cimport System
from rbdyn.stepping.sleeping cimport rouse
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.scene_memory cimport SceneMemory
from rbdyn.world.world cimport World


cdef void follow_some(void* context, int worker, int k) noexcept nogil:
    """A share of the samples, for a thread."""
    with gil:
        (<Follower> context).follow_share(worker, k)


cdef class Follower:
    """Copies of a World, one for each thread, that are taken along controls."""

    cdef readonly list worlds, robots
    cdef list starts             # their snapshots, from which each sample begins
    cdef Pool* pool
    cdef int threads, share, n, T, nu, nq, nv
    cdef long steps              # between two controls
    cdef bint targets            # controls are PD targets, and not forces
    cdef cnp.ndarray states, diverged
    cdef const double* u         # (n, T, nu) controls
    cdef double* q               # (n, T, nq), (n, T, nv) where each is after them
    cdef double* v
    cdef list failed

    def __init__(self, list worlds not None, str name not None):
        if self.worlds is not None:
            raise RuntimeError("a Follower cannot be initialised twice")
        cdef int threads = len(worlds)
        self.pool = pool_make(threads) if threads > 1 else NULL
        if threads > 1 and self.pool is NULL:
            raise MemoryError(f"the system has no room for {threads} threads")
        self.robots = [world.find(name) for world in worlds]
        self.threads, self.worlds, self.starts = threads, worlds, []
        self.nq, self.nv = self.robots[0].nq, self.robots[0].nv

    def __dealloc__(self):
        pool_end(self.pool)

    def begin_from(self, snapshot):
        """Samples begin from here: a snapshot of the World that these are copies of."""
        for world in self.worlds:
            world.restore(snapshot)
        self.starts = [world.snapshot() for world in self.worlds]

    def follow(self, cnp.ndarray states, cnp.ndarray controls not None, bint targets, long steps):
        """(q, v, diverged) of each sample after each control; the arguments are checked."""
        cdef World first = self.worlds[0]
        cdef int shares
        cdef cnp.ndarray q, v
        self.n, self.T, self.nu = controls.shape[0], controls.shape[1], controls.shape[2]
        q, v = np.full((self.n, self.T, self.nq), np.nan), np.full((self.n, self.T, self.nv), np.nan)
        self.u, self.q, self.v = data(controls), data(q), data(v)
        self.states, self.targets, self.steps = states, targets, steps
        self.diverged, self.failed = np.zeros(self.n, bool), []
        self.share = parts(self.n, 8 * self.threads)
        shares = parts(self.n, self.share)
        if self.pool is NULL or shares < 2 or first.asks_python():
            self.share = self.n
            self.follow_share(0, 0)
        else:
            with nogil:
                pool_run(self.pool, follow_some, <void*> self, shares)
        if self.failed:
            raise self.failed[0]
        return q, v, self.diverged

    cdef int follow_share(self, int worker, int k) except -1:
        """Samples k * share and so on, one after the other."""
        cdef int i
        for i in range(k * self.share, min((k + 1) * self.share, self.n)):
            if self.failed:
                return 0
            try:
                PyErr_CheckSignals()
                self.follow_one(worker, i)
            except DivergenceError:
                self.diverged[i] = True
            except BaseException as error:
                self.failed.append(error)
        return 0

    cdef int follow_one(self, int worker, int i) except -1:
        """A sample, from its start to its end, or to where it diverges."""
        cdef World world = self.worlds[worker]
        cdef ArticulatedSystem robot = self.robots[worker]
        cdef unsigned rounding
        world.restore(self.starts[worker])
        if self.states is not None:
            robot.set_state(self.states[i, :self.nq], self.states[i, self.nq:])
        if self.targets:
            robot.start_target()
            robot.targeted = True
        if world.asks_python():
            return self.follow_slowly(world, robot, i)
        begin(world)
        rounding = take_rounding()
        try:
            with nogil:
                self.go(world, robot.memory, robot.index, i)
        finally:
            give_back_rounding(rounding)
            world.end_step(False)
        return 0

    cdef int go(self, World world, SceneMemory memory, int index, int i) except -1 nogil:
        """All controls of sample i in turn, which wake it as any control does; where it is after each."""
        cdef Signals signals = deaf()
        cdef System* r = memory.scene.system + index
        cdef int t
        for t in range(self.T):
            rouse(&memory.scene, &memory.slumber, r.handle)
            self.tell(r, i, t)
            run(world, self.steps, &signals)
            self.note(r, i, t)
        return 0

    cdef int follow_slowly(self, World world, ArticulatedSystem robot, int i) except -1:
        """The same where Python code runs in the steps."""
        cdef int t
        for t in range(self.T):
            robot.check_drivable()
            self.tell(robot.system(), i, t)
            world.step(self.steps)
            self.note(robot.system(), i, t)
        return 0

    cdef void tell(self, System* r, int i, int t) noexcept nogil:
        """Control t of sample i; with fewer columns than there are coordinates, it is for the last ones."""
        cdef const double* u = self.u + (<size_t> i * self.T + t) * self.nu
        cdef double* to = r.control.q_ref + self.nq if self.targets else r.control.tau_ff + self.nv
        memcpy(to - self.nu, u, self.nu * sizeof(double))

    cdef void note(self, System* r, int i, int t) noexcept nogil:
        """Where it is after control t."""
        memcpy(self.q + (<size_t> i * self.T + t) * self.nq, r.d.q, self.nq * sizeof(double))
        memcpy(self.v + (<size_t> i * self.T + t) * self.nv, r.d.v, self.nv * sizeof(double))
