"""A contact problem as Python sees it: `ContactView` during a step, `Problem` for use without a World.

A view holds copies, made when first asked for: an array kept beyond the step is old, but never dangles.
"""

from libc.string cimport memcpy, memset

from rbdyn.contact.operator cimport (
    Operator,
    add_impulse,
    clear_velocities,
    contact_velocity,
    load_impulses,
    prepare,
    release,
)
from rbdyn.contact.problem cimport CONTACT_PROBLEM_VERSION, ContactProblem, Row
from rbdyn.spatial._algebra cimport Vec3, vec3, zero3

import numpy as np

from rbdyn.contact import _arrays
from rbdyn.errors import ContactError


cdef object doubles(const double* data, tuple shape, bint writable=False):
    """A copy of C doubles as an array."""
    array = np.empty(shape)
    cdef double[::1] flat = array.reshape(-1)
    if flat.shape[0] > 0:
        memcpy(&flat[0], data, flat.shape[0] * sizeof(double))
    array.flags.writeable = writable
    return array


cdef double* pointer(array):
    """The data of a C-contiguous float64 array that somebody else keeps alive."""
    cdef double[::1] flat = array.reshape(-1)
    return &flat[0] if flat.shape[0] > 0 else NULL


cdef class ContactView:
    """One step's contact problem, as a solver written in Python receives it.

    Valid during the call that received it; afterwards every attribute raises ContactError.  Contact axes are
    (t1, t2, normal), the normal points into object A, impulses act on A.
    """

    cdef ContactProblem* live(self) except NULL:
        """The problem, or ContactError when its step is over."""
        if self.p == NULL:
            raise ContactError(f"this {type(self).__name__} holds no problem: a view is valid only during the solve() "
                               "call that received it; copy what is needed later")
        return self.p

    cdef ContactProblem* begin(self) except NULL:
        """The problem, after taking over what the user wrote into `impulse`."""
        cdef ContactProblem* p = self.live()
        cdef double* data
        if self.impulse_array is not None and p.n > 0:
            data = self.written(p.n)
            if data != p.impulse:
                memcpy(p.impulse, data, 3 * p.n * sizeof(double))
        return p

    cdef double* written(self, int n) except NULL:
        """The user's array, which must not have been resized."""
        if self.impulse_array.shape != (n, 3):
            raise ContactError(f"impulse must keep its shape ({n}, 3), got {self.impulse_array.shape}")
        return pointer(self.impulse_array)

    cdef int finish(self) except -1:
        """Show the user's `impulse` what a solver wrote."""
        cdef ContactProblem* p = self.live()
        cdef double* data
        if self.impulse_array is not None and p.n > 0:
            data = self.written(p.n)
            if data != p.impulse:
                memcpy(data, p.impulse, 3 * p.n * sizeof(double))
        return 0

    cdef object cached(self, str name, const double* data, tuple shape):
        if self.cache is None:
            self.cache = {}
        if name not in self.cache:
            self.cache[name] = doubles(data, shape)
        return self.cache[name]

    def __len__(self):
        return self.live().n

    @property
    def n(self):
        """Number of contacts."""
        return self.live().n

    @property
    def dt(self):
        """Time step [s]."""
        return self.live().dt

    @property
    def v_free(self):
        """(n, 3) velocity of A minus B at zero impulse [m/s], normal part minus its target; read-only."""
        cdef ContactProblem* p = self.live()
        return self.cached("v_free", p.v_free, (p.n, 3))

    @property
    def friction(self):
        """(n,) friction coefficients; read-only."""
        cdef ContactProblem* p = self.live()
        return self.cached("friction", p.friction, (p.n,))

    @property
    def frame(self):
        """(n, 3, 3) contact axes, rows t1, t2, normal in world axes; read-only."""
        cdef ContactProblem* p = self.live()
        return self.cached("frame", p.frame, (p.n, 3, 3))

    @property
    def key(self):
        """(n,) uint64 identity of each contact from step to step, 0 for none; read-only."""
        cdef ContactProblem* p = self.live()
        cdef int i
        keys = np.array([p.key[i] if p.key != NULL else 0 for i in range(p.n)], dtype=np.uint64)
        keys.flags.writeable = False
        return keys

    @property
    def impulse(self):
        """(n, 3) impulses [N s], contact axes, acting on A: warm start on entry, solution on return; writable."""
        cdef ContactProblem* p = self.live()
        if self.impulse_array is None:
            self.impulse_array = doubles(p.impulse, (p.n, 3), writable=True)
        return self.impulse_array

    @impulse.setter
    def impulse(self, value):
        self.impulse[:] = _arrays.numbers(value, (self.n, 3), "impulse", "[N s]")

    @property
    def delassus(self):
        """(3n, 3n) matrix G = J M^-1 J^T [1/kg] with v = v_free + G impulse; assembled at first use, read-only."""
        if self.cache is None:
            self.cache = {}
        if "delassus" not in self.cache:
            self.cache["delassus"] = assemble(self.live())
        return self.cache["delassus"]

    def velocity(self):
        """Contact velocities with the present impulses.

        Returns
        -------
        v : (n, 3) ndarray of float64
            ``v_free + G impulse`` [m/s], contact axes, normal part relative to its target.
        """
        cdef ContactProblem* p = self.begin()
        cdef Operator G
        cdef Vec3 v
        cdef int i
        result = np.empty((p.n, 3))
        cdef double[:, ::1] out = result
        memset(&G, 0, sizeof(Operator))
        try:
            prepare(&G, p)
            load_impulses(&G, p.impulse)
            for i in range(p.n):
                v = contact_velocity(&G, i)
                out[i, 0], out[i, 1], out[i, 2] = v.x, v.y, v.z
        finally:
            release(&G)
        return result

    @property
    def iterations(self):
        """Sweeps done by the solver."""
        return self.live().iterations

    @iterations.setter
    def iterations(self, int value):
        self.live().iterations = value

    @property
    def error(self):
        """Largest velocity change in the solver's last sweep [m/s]."""
        return self.live().error

    @error.setter
    def error(self, double value):
        self.live().error = value

    @property
    def converged(self):
        """Whether the error fell below the solver's threshold."""
        return bool(self.live().converged)

    @converged.setter
    def converged(self, bint value):
        self.live().converged = value

    def __reduce__(self):
        raise TypeError(f"a {type(self).__name__} cannot be pickled; pickle the arrays it was made of")


cdef object assemble(const ContactProblem* p):
    """G, column by column: the velocities that unit impulses make."""
    cdef Operator G
    cdef Vec3 v
    cdef int i, j, k
    result = np.empty((3 * p.n, 3 * p.n))
    cdef double[:, ::1] out = result
    memset(&G, 0, sizeof(Operator))
    try:
        prepare(&G, p)
        for i in range(p.n):
            G.contact[i].v_free = zero3()
        for j in range(p.n):
            for k in range(3):
                clear_velocities(&G)
                add_impulse(&G, j, vec3(k == 0, k == 1, k == 2))
                for i in range(p.n):
                    v = contact_velocity(&G, i)
                    out[3 * i, 3 * j + k], out[3 * i + 1, 3 * j + k], out[3 * i + 2, 3 * j + k] = v.x, v.y, v.z
    finally:
        release(&G)
    result = 0.5 * (result + result.T)
    result.flags.writeable = False
    return result


cdef class Problem(ContactView):
    """A contact problem that owns its arrays, for use without a World.

    Parameters
    ----------
    delassus : (3n, 3n) array_like of float
        Symmetric, positive semi-definite matrix G [1/kg]; contact axes in the order t1, t2, normal.
    v_free : (n, 3) array_like of float
        Velocity of A minus B at zero impulse [m/s], normal part minus its target.
    friction : float or (n,) array_like of float
        Friction coefficients, >= 0.
    dt : float, optional
        Time step [s].
    frame : (n, 3, 3) array_like of float, optional
        Contact axes, rows t1, t2, normal in world axes; the identity if left out.
    key : (n,) array_like of int, optional
        Identity of the contacts for the warm start of `ContactSolver.step`, ascending; 0 for none.

    Raises
    ------
    ContactError
        If a shape is wrong, a value is not finite, or G is not symmetric and positive semi-definite.
    """

    def __init__(self, delassus, v_free, friction, *, dt=1.0, frame=None, key=None):
        if self.p != NULL:
            raise ContactError("a Problem cannot be initialised twice: make a new one")
        self.take(_arrays.from_delassus(delassus, v_free, friction, dt, frame, key))

    @classmethod
    def from_bodies(cls, inverse_mass, inverse_inertia, *, frame, v_free, friction, single_a, arm_a, single_b=None,
                    arm_b=None, rows=None, dt=1.0, key=None):
        """A problem between single bodies, and optionally articulated systems given by their rows.

        Parameters
        ----------
        inverse_mass : (m,) array_like of float
            [1/kg], 0 for a body that does not move.
        inverse_inertia : (m, 3, 3) array_like of float
            About the centre of mass, world axes [1/(kg m^2)]; symmetric, positive semi-definite.
        frame, v_free, friction, dt, key
            As for `Problem`.
        single_a, single_b : (n,) array_like of int
            Index of the body on side A and B of each contact, -1 for none.
        arm_a, arm_b : (n, 3) array_like of float
            Contact point minus that body's centre of mass [m], world axes.
        rows : (n, 3, k) array_like of float, optional
            Columns of M^-1/2 J^T of articulated systems [kg^-1/2], contact axes: adds ``rows @ rows^T`` to G.

        Raises
        ------
        ContactError
            If a shape is wrong, a value is not finite, or a frame is not orthonormal.
        """
        cdef Problem problem = cls.__new__(cls)
        problem.take(_arrays.from_bodies(inverse_mass, inverse_inertia, frame, v_free, friction, single_a, arm_a,
                                         single_b, arm_b, rows, dt, key))
        return problem

    cdef int take(self, dict a) except -1:
        """Point `own` into checked arrays."""
        cdef int[::1] single_a = a["single_a"]
        cdef int[::1] single_b = a["single_b"]
        cdef int[::1] row_start = a["row_start"]
        cdef unsigned long long[::1] key = a["key"]
        cdef unsigned char[::1] rows
        a["rows"] = pack_rows(a["coordinate"], a["columns"])
        rows = a["rows"]
        self.arrays, self.cache, self.impulse_array = a, None, a["impulse"]
        memset(&self.own, 0, sizeof(ContactProblem))
        self.own.version = CONTACT_PROBLEM_VERSION
        self.own.n, self.own.n_single, self.own.n_coordinates = a["n"], len(a["inverse_mass"]), a["n_coordinates"]
        self.own.dt = a["dt"]
        self.own.frame, self.own.v_free = pointer(a["frame"]), pointer(a["v_free"])
        self.own.friction, self.own.impulse = pointer(a["friction"]), pointer(a["impulse"])
        self.own.arm_a, self.own.arm_b = pointer(a["arm_a"]), pointer(a["arm_b"])
        self.own.inverse_mass, self.own.inverse_inertia = pointer(a["inverse_mass"]), pointer(a["inverse_inertia"])
        self.own.row_start = &row_start[0]
        if self.own.n > 0:
            self.own.single_a, self.own.single_b, self.own.key = &single_a[0], &single_b[0], &key[0]
        if rows.shape[0] > 0:
            self.own.row = <const Row*>&rows[0]
        self.p = &self.own
        return 0


cdef object pack_rows(coordinate, columns):
    """Rows as the bytes of C structs."""
    cdef int[::1] index = coordinate
    cdef double[:, ::1] y = columns
    packed = np.zeros(index.shape[0] * sizeof(Row), np.uint8)
    cdef unsigned char[::1] data = packed
    cdef Row* row
    cdef int j
    for j in range(index.shape[0]):
        row = <Row*>&data[0] + j
        row.coordinate, row.x, row.y, row.n = index[j], y[j, 0], y[j, 1], y[j, 2]
    return packed
