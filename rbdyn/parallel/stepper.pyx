"""Many Worlds in one call: each takes its steps on some thread, and ends with the bits that it has when stepped alone.

All are begun with the interpreter's lock, step without it, and are ended with it: nobody else gets at one of them
meanwhile.  A World in whose steps Python has a word (schedules, observers, laws of wires, backends in Python) is
stepped by itself, in the thread of the caller.
"""

from rbdyn.errors import BusyError, DivergenceError

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.limits cimport LONG_MIN

from rbdyn.contact.solver cimport clear_counts
from rbdyn.pool cimport pool_end, pool_make, pool_run
from rbdyn.rounding cimport give_back_rounding, take_rounding

cdef enum:
    ROUND = 4096                 # steps of Worlds between two looks at signals: 20 ms of robots
    LEAST = 8                    # of these that each World takes at least: the first has to fetch it from memory
    SHARE = 16                   # steps that a thread takes at least before it asks for more work
    SLOW_ROUND = 256             # of Worlds in whose steps Python runs, which may take a millisecond each


cdef Signals deaf() noexcept nogil:
    """Signals that are never looked at: who steps many Worlds looks at them between rounds, so that all stay level."""
    return Signals(looked=0.0, work=LONG_MIN // 2)


cdef int run(World world, long steps, Signals* signals) except -1 nogil:
    """Steps of a World that has begun."""
    for _ in range(steps):
        world.first_half(signals)
        world.second_half(signals)
    return 0


cdef int begin(World world) except -1:
    """What `World.step` does before its steps; an error leaves the World as it was."""
    world.begin_steps()
    clear_counts(world.contact)
    clear_counts(world.position_solver)
    return 0


cdef void take(void* context, int worker, int k) noexcept nogil:
    """A share of the Worlds, for a thread, which holds the lock between them alone: to note what one of them raises."""
    with gil:
        (<Stepper> context).take(k * (<Stepper> context).share)


cdef class Stepper:
    """Steps a tuple of Worlds on some threads."""

    def __init__(self, tuple worlds not None, int threads):
        if self.worlds is not None:
            raise RuntimeError("a Stepper cannot be initialised twice")
        cdef World world
        for world in worlds:
            world.check()
        self.going = <PyObject**> PyMem_Malloc(max(len(worlds), 1) * sizeof(void*))
        self.number = <int*> PyMem_Malloc(max(len(worlds), 1) * sizeof(int))
        self.pool = pool_make(threads) if threads > 1 else NULL
        if self.going is NULL or self.number is NULL or (threads > 1 and self.pool is NULL):
            raise MemoryError(f"the system has no room for {len(worlds)} Worlds and {threads} threads")
        self.threads, self.failed, self.worlds = threads, [], worlds

    def __dealloc__(self):
        pool_end(self.pool)
        PyMem_Free(self.going)
        PyMem_Free(self.number)

    cdef int take(self, int at) except -1:
        """Worlds from number `at` of those that go: what they raise is noted, and the next one goes on."""
        cdef int end = min(at + self.share, self.n_going)
        cdef Signals signals = deaf()
        cdef unsigned rounding
        while at < end:
            rounding = take_rounding()
            try:
                with nogil:
                    while at < end:
                        run(<World> self.going[at], self.steps, &signals)
                        at += 1
            except BaseException as error:           # also a lack of memory: it is this World's alone
                self.failed.append((self.number[at], error))
                at += 1
            finally:
                give_back_rounding(rounding)
        return 0

    cdef int round(self, long steps) except -1:
        """All that go take some steps."""
        cdef int shares
        self.steps = steps
        self.share = max(parts(self.n_going, 8 * self.threads), parts(SHARE, steps))
        shares = parts(self.n_going, self.share)
        if self.pool is not NULL and shares > 1:
            with nogil:
                pool_run(self.pool, take, <void*> self, shares)
        else:
            self.share = self.n_going
            self.take(0)
        return 0

    cdef int leave_out(self) except -1:
        """Those that failed go no further."""
        cdef int k, kept = 0
        out = {number for number, _ in self.failed}
        for k in range(self.n_going):
            if self.number[k] not in out:
                self.going[kept], self.number[kept] = self.going[k], self.number[k]
                kept += 1
        self.n_going = kept
        return 0

    def step(self, long count, list numbers not None):
        """Steps of the Worlds of these numbers.

        Returns
        -------
        diverged : dict
            Number of each World whose step would not have ended in finite numbers -> its DivergenceError; it stands at
            the last good step.  Any other error is raised, once the others are as far as its World would have been.
        """
        if self.at_work:
            raise BusyError("these Worlds are being stepped, by another thread or by the call that led here")
        self.at_work = True
        try:
            return self.step_all(count, numbers)
        finally:
            self.at_work = False

    cdef dict step_all(self, long count, list numbers):
        """The same; nobody else is at work here."""
        cdef World world
        cdef list begun = [], alone = []
        cdef long left = count, most = max(<long> LEAST, ROUND // max(len(numbers), 1))
        self.n_going, self.failed = 0, []
        try:
            for k in numbers:
                world = self.worlds[k]
                world.check()
                if world.asks_python():
                    world.lock.check_settable()
                    alone.append(k)
                    continue
                begin(world)
                begun.append(world)
                self.going[self.n_going], self.number[self.n_going] = <PyObject*> world, k
                self.n_going += 1
            while left > 0 and self.n_going > 0:
                self.round(min(left, most))
                left -= most
                if self.failed:
                    self.leave_out()
                PyErr_CheckSignals()
        finally:
            for world in begun:
                world.end_step(False)
        self.step_slowly(count, alone)
        return self.told()

    cdef int step_slowly(self, long count, list numbers) except -1:
        """Those in whose steps Python has a word, by turns of a few steps, so that an interrupt finds all nearly level.
        """
        cdef World world
        cdef long done = 0, some
        cdef long most = max(1, SLOW_ROUND // max(len(numbers), 1))
        others = numbers
        while others and (done < count or count == 0):
            some, others = min(most, count - done), []
            for k in numbers:
                world = self.worlds[k]
                try:
                    world.take_steps(some, done == 0)
                    others.append(k)
                except Exception as error:
                    self.failed.append((k, error))
            done += some
            if count == 0 or not all([isinstance(error, DivergenceError) for _, error in self.failed]):
                break
            numbers = others
        return 0

    cdef dict told(self):
        """Who diverged; what else was raised is raised."""
        failed, self.failed = self.failed, []
        for _, error in failed:
            if not isinstance(error, DivergenceError):
                raise error
        return dict(failed)
