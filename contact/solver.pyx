"""The interface of a contact solver: two entry points, a warm start, and the checks around a user-supplied solver."""

from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memset

from rbdyn.contact.after.check_impulses cimport check_impulses
from rbdyn.contact.islands cimport clear_outcome
from rbdyn.contact.operator cimport check_problem, check_sizes
from rbdyn.contact.operator cimport release as release_operator
from rbdyn.contact.problem cimport COMPLIANT, GIVEN_UP, REFINED, REPLACED, STAGES, SWEPT, ContactProblem, Key
from rbdyn.contact.views.view cimport ContactView
from rbdyn.contact.warm_start cimport WarmStart, copy, load, release, reserve, store
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Vec3

import numpy as np

from rbdyn.contact import options
from rbdyn.contact.laws import LAW_NAMES as _LAW_NAMES
from rbdyn.contact.statistics import ContactStatistics
from rbdyn.contact.views import arrays
from rbdyn.errors import ContactError


def restore(cls, parameters, state, attributes):
    """Rebuild a pickled solver."""
    solver = cls.__new__(cls)
    solver.configure(**parameters)
    solver.set_state(state)
    if attributes:
        solver.__dict__.update(attributes)
    return solver


cdef object copied(const void* data, size_t size, dtype):
    """A fresh array of these bytes."""
    array = np.empty(size, np.uint8)
    cdef unsigned char[::1] target = array
    if size > 0:
        memcpy(&target[0], data, size)
    return array.view(dtype)


cdef int copy_in(void* target, array) except -1:
    """The bytes of a C-contiguous array."""
    cdef const unsigned char[::1] data = array.reshape(-1).view(np.uint8)
    if data.shape[0] > 0:
        memcpy(target, &data[0], data.shape[0])
    return 0


cdef class ContactSolver(Backend):
    """A solver of one step's contact problem.  Override ``solve`` in Python, or ``solve_c`` in Cython.

    Parameters
    ----------
    warm_start : bool
        Start every contact from what lasts of its impulse of the step before (found by key); otherwise from zero.
    alternate : bool
        Flip the sweep direction after every step, so that no contact is always the last one visited.

    Attributes
    ----------
    iterations, error, converged : int, float, bool
        Sweeps, last velocity change [m/s] and success of the last step.
    overridden : bool
        Whether a Python class redefines ``solve``.
    statistics : ContactStatistics
        Counts over the steps of the latest ``world.step(n)``.
    laws : tuple of str
        Class attribute: the laws of blocks that the solver takes, of "cone", "unilateral", "bilateral", "box",
        "disc".  A problem with another law is refused by name.
    adds_energy : bool
        Class attribute, False: impulses of a Python ``solve`` that add energy are refused.  True where contacts give
        back what they took, as springs do.

    Examples
    --------
    >>> class Damped(BisectionSolver):
    ...     def solve(self, problem):
    ...         super().solve(problem)
    ...         problem.impulse[:] *= 0.99
    """

    laws = ("cone",)
    adds_energy = False

    def __cinit__(self, *args, **kwargs):
        self.introduce(ContactSolver, "solve", "contact solver", ContactError)
        self.takes = options.laws(type(self))
        self.elastic = options.flag(type(self).adds_energy, f"{type(self).__name__}.adds_energy")
        self.warm = True
        self.alternating = True

    def __init__(self, *, warm_start=True, alternate=True):
        self.configure(warm_start=warm_start, alternate=alternate)

    def __dealloc__(self):
        release(&self.memory)
        release(&self.memory_before)
        free(self.solved)
        release_operator(&self.check)

    def solve(self, ContactView problem not None):
        """Write the impulses of `problem`, starting from those it holds.

        Parameters
        ----------
        problem : ContactView or Problem
            ``problem.impulse`` is overwritten; ``iterations``, ``error`` and ``converged`` are set.

        Raises
        ------
        ContactError
            If the problem is malformed, or a view whose step is over.
        """
        cdef ContactProblem* p
        self.check_free(True)
        p = problem.begin()
        check_problem(p)
        self.solve_c(p)
        note_solved(self, p)
        problem.finish()

    cdef int solve_c(self, ContactProblem* p) except -1 nogil:
        """The C entry point."""
        with gil:
            self.check_complete()
            raise ContactError(f"{type(self).__name__} has no solve_c() for super().solve() to call")

    def step(self, ContactView problem not None):
        """What World does with a problem: warm start by key, solve, check the impulses, remember them.

        Parameters
        ----------
        problem : ContactView or Problem
            Its impulses are overwritten; the ones it holds are not used.

        Raises
        ------
        ContactError
            If the problem is malformed, or a solver written in Python wrote impulses that are not finite, that
            pull, that leave a friction cone, or that make energy.
        """
        cdef ContactProblem* p
        self.check_free(True)
        self.check_complete()
        p = problem.begin()
        check_problem(p)
        solve_contacts(self, p)
        problem.finish()

    def configure(self, *, warm_start=None, alternate=None):
        """Change parameters; those left out keep their values."""
        self.check_settable(True)
        warm = self.warm if warm_start is None else options.flag(warm_start, "warm_start")
        alternating = self.alternating if alternate is None else options.flag(alternate, "alternate")
        self.warm, self.alternating = warm, alternating

    @property
    def parameters(self):
        """All parameters, as `configure` takes them."""
        return {"warm_start": bool(self.warm), "alternate": bool(self.alternating)}

    @property
    def statistics(self):
        """ContactStatistics of the steps since the latest ``world.step(n)`` began, or since `reset`."""
        cdef Counts* c = &self.counts
        return ContactStatistics(
            c.steps, c.unconverged, c.ended[<int> COMPLIANT] + c.ended[<int> REPLACED], c.iterations, c.worst,
            self.worst_name if c.named else None, c.ended[<int> SWEPT], c.ended[<int> REFINED], c.ended[<int> GIVEN_UP],
            c.ended[<int> COMPLIANT], c.ended[<int> REPLACED])

    @property
    def parity(self):
        """0: the next step sweeps from the first contact to the last; 1: backwards.  Flips after every step."""
        return self.direction

    @parity.setter
    def parity(self, value):
        if isinstance(value, bool) or value not in (0, 1):
            raise ContactError(f"parity must be 0 (forward) or 1 (backward), got {value!r}")
        self.check_settable(True)
        self.direction = value

    @property
    def allocations(self):
        """How often workspace was allocated: constant while the problems do not grow."""
        return self.reallocations + self.check.reallocations

    def reset(self):
        """Forget the warm start and sweep forward next."""
        self.check_settable(True)
        self.memory.n = self.memory.n_blocks = self.memory.n_rows = 0
        self.direction = 0
        clear_counts(self)

    def get_state(self):
        """Everything that this solver carries over from step to step.

        A World beside it remembers where contacts were, and which overlaps of a robot with itself it leaves alone: put
        back to this alone it goes on nearly, not exactly, as it did where things roll or tumble.

        Returns
        -------
        state : dict
            ``version``, ``parity``; of cones that push ``key`` (m,), records of source, id_a, id_b, feature, and
            ``impulse`` (m, 3) [N s] in world axes; of other blocks ``block_key`` (k,), ``block_rows`` (k,) and
            ``row_impulse``.  Impulses are those that the next step begins with: what balances forces, and nothing of
            what stopped a motion.

        Raises
        ------
        BusyError
            If a step that uses this solver runs in another thread.
        """
        self.check_free(True)
        cdef WarmStart* W = &self.memory
        return {
            "version": arrays.STATE_VERSION,
            "parity": self.direction,
            "key": copied(W.key, W.n * sizeof(Key), arrays.KEY),
            "impulse": copied(W.impulse, W.n * sizeof(Vec3), np.float64).reshape(-1, 3),
            "block_key": copied(W.block_key, W.n_blocks * sizeof(Key), arrays.KEY),
            "block_rows": copied(W.block_rows, W.n_blocks * sizeof(int), np.intc),
            "row_impulse": copied(W.row_impulse, W.n_rows * sizeof(double), np.float64),
        }

    def set_state(self, state):
        """Restore what `get_state` returned.

        Raises
        ------
        ContactError
            If `state` is not such a dict; the solver is then unchanged.
        """
        self.check_settable(True)
        key, impulse, block_key, block_rows, row_impulse, parity = arrays.checked_state(state)
        reserve(&self.memory, <int>len(key), <int>len(block_key), <int>len(row_impulse), &self.reallocations)
        self.memory.n, self.memory.n_blocks, self.memory.n_rows = len(key), len(block_key), len(row_impulse)
        self.direction = parity
        copy_in(self.memory.key, key)
        copy_in(self.memory.impulse, impulse)
        copy_in(self.memory.block_key, block_key)
        copy_in(self.memory.block_rows, block_rows)
        copy_in(self.memory.row_impulse, row_impulse)

    def __reduce__(self):
        return restore, (type(self), self.parameters, self.get_state(), getattr(self, "__dict__", None))

    def __repr__(self):
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{type(self).__name__}({inside})"


cdef void clear_counts(ContactSolver s) noexcept nogil:
    """Count anew."""
    memset(&s.counts, 0, sizeof(Counts))


cdef inline void count(ContactSolver s, const ContactProblem* p) noexcept nogil:
    cdef Counts* c = &s.counts
    cdef int k
    c.steps += 1
    c.unconverged += not p.converged
    c.iterations += p.iterations
    for k in range(STAGES):
        c.ended[k] += p.ended[k]
    if p.error > c.worst:
        c.worst, c.worst_body, c.named = p.error, -1, False


cdef void skip_step(ContactSolver s) noexcept nogil:
    """A step in which there is nothing to solve: all impulses are zero."""
    s.memory, s.memory_before, s.counts_before = s.memory_before, s.memory, s.counts
    s.memory.n = s.memory.n_blocks = s.memory.n_rows = 0
    s.direction ^= s.alternating
    s.iterations, s.error, s.converged = 0, 0.0, True
    s.counts.steps += 1


cdef void take_back(ContactSolver s) noexcept nogil:
    """Forget the latest step, which is done again: once, between two of them."""
    s.memory, s.memory_before, s.counts = s.memory_before, s.memory, s.counts_before
    s.direction ^= s.alternating


cdef int keep_memory(ContactSolver s, SolverStart* start) except -1 nogil:
    """Note what the next solve begins with."""
    copy(&start.memory, &s.memory, &s.reallocations)
    start.direction = s.direction
    return 0


cdef int return_memory(ContactSolver s, const SolverStart* start) except -1 nogil:
    """Begin the next solve with what was noted."""
    copy(&s.memory, &start.memory, &s.reallocations)
    s.direction = start.direction
    return 0


cdef int solve_contacts(ContactSolver s, ContactProblem* p) except -1 nogil:
    """The one call that World makes: warm start, solve, check, remember.  Without contacts the solver is not called."""
    check_sizes(p)
    check_laws(s, p)
    if s.warm:
        load(&s.memory, p)
    elif p.n > 0:
        memset(p.impulse, 0, p.n_rows * sizeof(double))
    clear_outcome(p, p.n == 0)
    s.onward = NULL
    if p.n == 0:
        pass
    elif s.overridden:
        s.n_solved = -1
        call_python(s, p)
        check_impulses(s, &s.check, s.elastic, p)
        if not is_as_solved(s, p):
            s.onward = NULL
    else:
        s.solve_c(p)
    store(&s.memory_before, p, s.onward if s.onward != NULL else p.impulse, &s.reallocations)
    s.memory, s.memory_before, s.counts_before = s.memory_before, s.memory, s.counts
    s.direction ^= s.alternating
    s.iterations, s.error, s.converged = p.iterations, p.error, p.converged
    count(s, p)
    return 0


cdef int note_solved(ContactSolver s, const ContactProblem* p) except -1:
    """Remember what solve_c() wrote: a Python solve() may change it, and then goes on from what it made of it."""
    s.reallocations += grow(<void**> &s.solved, &s.solved_capacity, p.n_rows, sizeof(double))
    s.n_solved = p.n_rows
    if p.n_rows > 0:
        memcpy(s.solved, p.impulse, p.n_rows * sizeof(double))
    return 0


cdef bint is_as_solved(ContactSolver s, const ContactProblem* p) noexcept nogil:
    """Whether a Python solve() left the impulses as solve_c() had written them."""
    return s.n_solved == p.n_rows and memcmp(s.solved, p.impulse, p.n_rows * sizeof(double)) == 0


cdef int check_laws(ContactSolver s, const ContactProblem* p) except -1 nogil:
    """ContactError if a block has a law that the solver does not take."""
    cdef int i
    for i in range(p.n_cones if s.takes & 1 else 0, p.n):
        if not s.takes >> p.block[i].law & 1:
            with gil:
                raise ContactError(
                    f"{type(s).__name__} takes the laws {', '.join(type(s).laws)} (its class attribute `laws`); block "
                    f"{i} of the problem is of law {_LAW_NAMES[p.block[i].law]!r}")
    return 0


cdef int call_python(ContactSolver s, ContactProblem* p) except -1 with gil:
    """Hand the problem to a Python solve(); the view dies with the call."""
    cdef ContactView view = ContactView.__new__(ContactView)
    view.p = p
    try:
        s.solve(view)
        view.begin()                                   # takes over what was written into view.impulse
    finally:
        view.p = NULL
    return 0
