"""State: configuration q and velocity v of a Model, and what has been computed from them."""

cimport numpy as cnp

import numpy as np

from rbdyn.errors import BusyError, StateError

from cpython.pythread cimport PyThread_get_thread_ident
from libc.math cimport fabs, fmax, sqrt
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from rbdyn.arguments.arrays cimport data, read_only, still_vector, vector_in
from rbdyn.memory cimport grow
from rbdyn.model._model cimport CModel, allocate_data, free_data
from rbdyn.model.model cimport Model
from rbdyn.spatial._algebra cimport Vec3
from rbdyn.spatial.constants cimport Vec3d

cnp.import_array()


cdef inline double squared_length(const double* x, int size) noexcept:
    """Of two, three or four numbers."""
    cdef double total = x[0] * x[0] + x[1] * x[1]
    if size > 2:
        total += x[2] * x[2]
    if size > 3:
        total += x[3] * x[3]
    return total


cdef inline void to_shadow(double* p) noexcept:
    """p <- -p / |p|^2 where |p| > 1: the stereographic projection of the same rotation's other quaternion."""
    cdef double largest = fmax(fmax(fabs(p[0]), fabs(p[1])), fabs(p[2]))
    cdef double n
    cdef int k
    if largest <= 1.0 and squared_length(p, 3) <= 1.0 + 1e-15:
        return
    for k in range(3):                       # by the largest number first: its square could overflow
        p[k] /= largest
    n = -1.0 / squared_length(p, 3)
    for k in range(3):
        p[k] *= n / largest


cdef int check_blocks(const CModel* m, const double* q, str name) except -1:
    """StateError if a quaternion, or a sine with its cosine, is not of unit length; any p is a rotation."""
    cdef double n
    cdef int i
    for i in range(m.n_blocks):
        n = squared_length(q + m.blocks[i].start, m.blocks[i].size)
        if m.blocks[i].size != 3 and not fabs(n - 1.0) < 2e-3:
            what = "a quaternion [w, x, y, z]" if m.blocks[i].size == 4 else "a pair [sine, cosine]"
            raise StateError(
                f"{name} holds {what} of length {sqrt(n):.6g} at "
                f"{name}[{m.blocks[i].start}:{m.blocks[i].start + m.blocks[i].size}]; it must be 1"
            )
    return 0


cdef class State:
    """Configuration q and velocity v of a Model, with the workspace of algorithms.

    Parameters
    ----------
    model : Model
        Starts at its neutral configuration, at rest.

    Notes
    -----
    `q` and `v` are read-only views; `set` changes them.  What algorithms compute from them is kept until then, so
    that several algorithms at one state share their common work.  One State serves one thread at a time; algorithms
    raise BusyError while another thread steps it, by a World or `simulate`.
    """

    def __dealloc__(self):
        free_data(&self.c)
        free(self.square)
        free(self.work)

    cdef double* scratch(self) except NULL:
        """(nv, nv) numbers of scratch, zeroed; kept, so that only the first use allocates."""
        cdef size_t n = self.model.c.nv * <size_t> self.model.c.nv
        grow(<void**> &self.square, &self.square_size, n if n else 1, sizeof(double))
        memset(self.square, 0, n * sizeof(double))
        return self.square

    cdef void* workspace(self, size_t size) except NULL:
        """At least `size` bytes of working memory; kept, so that only a first use, or a larger one, allocates.

        Like `scratch` and what c holds beside its stages, it is everybody's: no Python code may run between taking it
        and being done with it.  A user's sequence, mapping or number can call any algorithm on this State, which then
        overwrites this memory, or frees it.  So arguments are read first, `out` included.
        """
        grow(&self.work, &self.work_size, size if size else 1, 1)
        return self.work

    def __init__(self, model):
        if not isinstance(model, Model):
            raise StateError(f"model must be a Model, got {type(model).__name__}; call State(Model(mechanism))")
        if self.model is not None:
            raise StateError("a State cannot be initialised twice; make a new one")
        cdef Model m = model
        m.use()
        allocate_data(&self.c, &m.c)
        self.model, self.renewed = m, m.renewed
        self.set(m.neutral(), None)

    cdef CModel* use(self) except NULL:
        """The model's C arrays; raises if this State is empty, stale, or stepped by another thread."""
        self.check_filled()
        if self.stepper:
            self.check_thread()
        if self.renewed != self.model.renewed:           # a robot's Model took in an edit
            self.c.stage, self.renewed = 0, self.model.renewed
        return self.model.use()

    cdef int check_thread(self) except -1:
        """BusyError if another thread steps this State."""
        if self.stepper != <long> PyThread_get_thread_ident():
            raise BusyError("another thread, or a call that a signal interrupted, is at work on this State; give each "
                            "thread its own")
        return 0

    cdef int check_filled(self) except -1:
        """StateError if this State has no model; a stale one can still be read."""
        if self.model is None:
            raise StateError("this State was made without its model; call State(model)")
        return 0

    cdef int check_not_stepping(self) except -1:
        """StateError in the middle of a step."""
        if self.frozen:
            raise StateError("this State is in the middle of a step, of a World or of simulate; set it after the step")
        return 0

    def set(self, q=None, v=None):
        """Set the configuration, the velocity or both; what is not given stays.

        Parameters
        ----------
        q : (nq,) array_like, optional
            Configuration [rad or m].  Quaternions [w, x, y, z] and pairs [sine, cosine] within 1e-3 of unit length are
            normalised; a stereographic p longer than 1 is exchanged for the other p of the same rotation.
        v : (nv,) array_like, optional
            Velocity [rad/s or m/s].

        Raises
        ------
        StateError
            If a length is wrong, a number is not finite, or a quaternion or pair [sine, cosine] is not of unit length;
            nothing changes then.
        """
        cdef const CModel* m = self.use()
        cdef cnp.ndarray new_q = None
        cdef cnp.ndarray new_v = None
        if q is not None:
            new_q = vector_in(q, m.nq, "q", self.model.q_layout)
        if v is not None:
            new_v = vector_in(v, m.nv, "v", self.model.v_layout)
            if new_v is not v and new_q is not None:
                still_vector(new_q, m.nq, "q")
        self.check_not_stepping()
        if new_q is not None:
            check_blocks(m, data(new_q), "q")
            memcpy(self.c.q, data(new_q), m.nq * sizeof(double))
            self._normalise()
        if new_v is not None:
            memcpy(self.c.v, data(new_v), m.nv * sizeof(double))
        self.c.stage = 0

    cdef void _normalise(self) noexcept:
        """Unit lengths to the last bit, and p within length 1; what is so already stays untouched."""
        cdef const CModel* m = &self.model.c
        cdef double* x
        cdef double n
        cdef int i, k
        for i in range(m.n_blocks):
            x = self.c.q + m.blocks[i].start
            if m.blocks[i].size == 3:
                to_shadow(x)
                continue
            n = squared_length(x, m.blocks[i].size)
            if fabs(n - 1.0) > 1e-15:
                n = 1.0 / sqrt(n)
                for k in range(m.blocks[i].size):
                    x[k] *= n

    @property
    def q(self):
        """Configuration, (nq,) read-only view."""
        self.check_filled()
        return self._view(self.c.q, self.model.c.nq)

    @property
    def v(self):
        """Velocity, (nv,) read-only view."""
        self.check_filled()
        return self._view(self.c.v, self.model.c.nv)

    cdef object _view(self, double* x, cnp.npy_intp n):
        """A read-only array over c.q or c.v that keeps this State alive; made anew, since arrays are no part of gc."""
        cdef cnp.ndarray a = read_only(cnp.PyArray_SimpleNewFromData(1, &n, cnp.NPY_DOUBLE, x))
        cnp.set_array_base(a, self)
        return a

    def copy(self):
        """An independent State at the same q and v, with the same root pose and gravity."""
        cdef State twin
        self.use()
        twin = State(self.model)
        twin.set(self.q, self.v)
        twin.c.gravity, twin.c.R[0], twin.c.p[0] = self.c.gravity, self.c.R[0], self.c.p[0]
        return twin

    def copy_root_pose(self, State other not None):
        """Where a World put the root of `other`, and its gravity if the World changed that."""
        self.check_filled()
        other.check_filled()
        cdef Vec3 g = other.c.gravity
        cdef Vec3d usual = other.model.c.gravity
        self.c.R[0], self.c.p[0] = other.c.R[0], other.c.p[0]
        if g.x != usual.x or g.y != usual.y or g.z != usual.z:
            self.c.gravity = g
        self.c.stage = 0

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        self.use()
        root = (self.c.gravity, self.c.R[0], self.c.p[0])
        return _restore, (self.model, np.array(self.q), np.array(self.v), root)

    def __repr__(self):
        if self.model is None:
            return "State(empty)"
        m = self.model
        return (f"State({m.mechanism.name!r}, q {m.q_layout}, v {m.v_layout}, "
                f"|v| <= {max(map(abs, self.v), default=0.0):.3g})")


def _restore(model, q, v, root):
    cdef State state = State(model)
    state.set(q, v)
    state.c.gravity, state.c.R[0], state.c.p[0] = root
    return state
