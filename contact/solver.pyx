"""The interface of a contact solver: two doors, a warm start, and the checks around a stranger's solver."""

from libc.math cimport fabs, hypot, isfinite
from libc.string cimport memcpy, memset

from rbdyn.contact.accept cimport energy
from rbdyn.contact.operator cimport check_sizes, load_impulses, prepare
from rbdyn.contact.operator cimport release as release_operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.view cimport ContactView
from rbdyn.contact.warm_start cimport load, release, reserve, store

import numpy as np

from rbdyn.contact import _arrays, _options
from rbdyn.errors import ContactError


def restore(cls, parameters, state, attributes):
    """Rebuild a pickled solver."""
    solver = cls.__new__(cls)
    solver.configure(**parameters)
    solver.set_state(state)
    if attributes:
        solver.__dict__.update(attributes)
    return solver


cdef class ContactSolver(Backend):
    """A solver of one step's contact problem.  Override ``solve`` in Python, or ``solve_c`` in Cython.

    Parameters
    ----------
    warm_start : bool
        Start every contact from its impulse of the step before (found by key); otherwise from zero.
    alternate : bool
        Flip the sweep direction after every step, so that no contact is always the last one visited.

    Attributes
    ----------
    iterations, error, converged : int, float, bool
        Sweeps, last velocity change [m/s] and success of the last step.
    overridden : bool
        Whether a Python class redefines ``solve``.

    Examples
    --------
    >>> class Damped(BisectionSolver):
    ...     def solve(self, problem):
    ...         super().solve(problem)
    ...         problem.impulse[:] *= 0.99
    """

    def __cinit__(self, *args, **kwargs):
        self.introduce(ContactSolver, "solve", "contact solver", ContactError)
        self.warm = True
        self.alternating = True

    def __init__(self, *, warm_start=True, alternate=True):
        self.configure(warm_start=warm_start, alternate=alternate)

    def __dealloc__(self):
        release(&self.memory)
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
        self.check_free(True)
        self.solve_c(problem.begin())
        problem.finish()

    cdef int solve_c(self, ContactProblem* p) except -1 nogil:
        """The C door."""
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
        self.check_free(True)
        self.check_complete()
        solve_contacts(self, problem.begin())
        problem.finish()

    def configure(self, *, warm_start=None, alternate=None):
        """Change parameters; those left out keep their values."""
        self.check_free(True)
        warm = self.warm if warm_start is None else _options.flag(warm_start, "warm_start")
        alternating = self.alternating if alternate is None else _options.flag(alternate, "alternate")
        self.warm, self.alternating = warm, alternating

    @property
    def parameters(self):
        """All parameters, as `configure` takes them."""
        return {"warm_start": bool(self.warm), "alternate": bool(self.alternating)}

    @property
    def parity(self):
        """0: the next step sweeps from the first contact to the last; 1: backwards.  Flips after every step."""
        return self.direction

    @parity.setter
    def parity(self, value):
        if isinstance(value, bool) or value not in (0, 1):
            raise ContactError(f"parity must be 0 (forward) or 1 (backward), got {value!r}")
        self.direction = value

    @property
    def allocations(self):
        """How often workspace was allocated: constant while the problems do not grow."""
        return self.growths + self.check.growths

    def reset(self):
        """Forget the warm start and sweep forward next."""
        self.check_free(True)
        self.memory.n = 0
        self.direction = 0

    def get_state(self):
        """Everything that carries over from step to step, for an exact snapshot.

        Returns
        -------
        state : dict
            ``version``, ``parity``, ``key`` (m,) uint64, ``impulse`` (m, 3) [N s] in world axes.
        """
        cdef int m = self.memory.n
        key, impulse = np.empty(m, np.uint64), np.empty((m, 3))
        cdef unsigned char[::1] key_bytes = key.view(np.uint8)
        cdef unsigned char[::1] impulse_bytes = impulse.reshape(-1).view(np.uint8)
        if m > 0:
            memcpy(&key_bytes[0], self.memory.key, key_bytes.shape[0])
            memcpy(&impulse_bytes[0], self.memory.impulse, impulse_bytes.shape[0])
        return {"version": _arrays.STATE_VERSION, "parity": self.direction, "key": key, "impulse": impulse}

    def set_state(self, state):
        """Restore what `get_state` returned.

        Raises
        ------
        ContactError
            If `state` is not such a dict; the solver is then unchanged.
        """
        self.check_free(True)
        key, impulse, parity = _arrays.checked_state(state)
        cdef unsigned char[::1] key_bytes = key.view(np.uint8)
        cdef unsigned char[::1] impulse_bytes = impulse.reshape(-1).view(np.uint8)
        reserve(&self.memory, <int>len(key), &self.growths)
        self.memory.n = <int>len(key)
        self.direction = parity
        if len(key) > 0:
            memcpy(self.memory.key, &key_bytes[0], key_bytes.shape[0])
            memcpy(self.memory.impulse, &impulse_bytes[0], impulse_bytes.shape[0])

    def __reduce__(self):
        return restore, (type(self), self.parameters, self.get_state(), getattr(self, "__dict__", None))

    def __repr__(self):
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{type(self).__name__}({inside})"


cdef int solve_contacts(ContactSolver s, ContactProblem* p) except -1 nogil:
    """The one call that World makes: warm start, solve, check, remember.  Without contacts the solver is not called."""
    check_sizes(p)
    if s.warm:
        load(&s.memory, p)
    elif p.n > 0:
        memset(p.impulse, 0, 3 * p.n * sizeof(double))
    p.iterations, p.error, p.converged = 0, 0.0, p.n == 0
    if p.n == 0:
        pass
    elif s.overridden:
        call_python(s, p)
        check_impulses(s, p)
    else:
        s.solve_c(p)
    store(&s.memory, p, &s.growths)
    s.direction ^= s.alternating
    s.iterations, s.error, s.converged = p.iterations, p.error, p.converged
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


cdef int check_impulses(ContactSolver s, const ContactProblem* p) except -1 nogil:
    """What a Python solve() wrote: finite, not pulling, inside the cones, and making no energy.

    Forgiven are 1e-9 of the largest normal impulse, and 1e-6 of the energy.
    """
    cdef double largest = 0.0, most, size, gain
    cdef const double* lam
    cdef int i
    for i in range(p.n):
        largest = max(largest, fabs(p.impulse[3 * i + 2]))
    for i in range(p.n):
        lam = p.impulse + 3 * i
        if not (isfinite(lam[0]) and isfinite(lam[1]) and isfinite(lam[2]) and lam[2] >= -1e-9 * largest):
            with gil:
                raise ContactError(
                    f"{wrote(s, p, i)}: it must be finite, with a normal (third) part >= 0")
        most = p.friction[i] * max(lam[2], 0.0)
        if not hypot(lam[0], lam[1]) <= most + 1e-9 * (most + largest):
            with gil:
                raise ContactError(
                    f"{wrote(s, p, i)}: its friction (first two parts) must be at most {p.friction[i]:.6g} times "
                    f"its normal part, {most:.6g} N s, and is {hypot(lam[0], lam[1]):.6g} N s")
    prepare(&s.check, p)
    load_impulses(&s.check, p.impulse)
    gain = energy(&s.check, p.impulse, &size)
    if not gain <= 1e-6 * size:
        with gil:
            raise ContactError(
                f"{type(s).__name__}.solve() wrote impulses that add {gain:.6g} J to the kinetic energy, "
                f"lam . (v_free + G lam / 2): contact with friction only takes energy away")
    return 0


cdef str wrote(ContactSolver s, const ContactProblem* p, int i):
    cdef const double* lam = p.impulse + 3 * i
    return (f"{type(s).__name__}.solve() wrote impulse ({lam[0]:.6g}, {lam[1]:.6g}, {lam[2]:.6g}) N s at contact "
            f"{i} of {p.n}")
