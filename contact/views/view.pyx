"""A contact problem as a solver written in Python receives it.

A view holds copies, made when first asked for: an array kept beyond the step is old, but never dangles.
"""

from libc.string cimport memcpy, memset

from rbdyn.contact.operator cimport (
    Operator,
    add_impulse,
    add_line_impulse,
    clear_velocities,
    contact_velocity,
    line_velocity,
    load_impulses,
    prepare,
    release,
)
from rbdyn.contact.problem cimport DISC, ContactProblem, Key
from rbdyn.contact.views.sparse cimport jacobian_of
from rbdyn.spatial._algebra cimport Vec3, vec3, zero3

import numpy as np

from rbdyn.contact.views import arrays
from rbdyn.errors import ContactError


cdef object doubles(const double* data, tuple shape, bint writable=False):
    """A copy of C doubles as an array."""
    array = np.empty(shape)
    cdef double[::1] flat = array.reshape(-1)
    if flat.shape[0] > 0:
        memcpy(&flat[0], data, flat.shape[0] * sizeof(double))
    array.flags.writeable = writable
    return array


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
        cdef double[::1] data
        if self.impulse_array is not None and p.n_rows > 0:
            if self.impulse_array.shape != self.by_row():
                raise ContactError(f"impulse must keep its shape {self.by_row()}, got {self.impulse_array.shape}")
            data = np.array(self.impulse_array, dtype=np.float64, order="C").reshape(-1)
            memcpy(p.impulse, &data[0], p.n_rows * sizeof(double))
        return p

    cdef int finish(self) except -1:
        """Show the user's `impulse` what a solver wrote."""
        cdef ContactProblem* p = self.live()
        if self.impulse_array is not None and p.n_rows > 0:
            if self.impulse_array.shape != self.by_row():
                raise ContactError(f"impulse must keep its shape {self.by_row()}, got {self.impulse_array.shape}")
            self.impulse_array[...] = doubles(p.impulse, self.by_row())
        return 0

    cdef tuple by_row(self):
        """The shape of what belongs to rows: (n, 3) if all blocks are cones."""
        if self.p.n == self.p.n_cones:
            return (self.p.n, 3)
        return (self.p.n_rows,)

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
        """Number of blocks: of contacts, if all are cones."""
        return self.live().n

    @property
    def n_cones(self):
        """Number of cones; they come first."""
        return self.live().n_cones

    @property
    def n_rows(self):
        """Number of rows of all blocks."""
        return self.live().n_rows

    @property
    def law(self):
        """(n,) law of each block, as a number: 0 cone, 1 unilateral, 2 bilateral, 3 box, 4 disc."""
        return self.of_blocks("law")

    @property
    def first_row(self):
        """(n,) first row of each block."""
        return self.of_blocks("first_row")

    @property
    def rows(self):
        """(n,) number of rows of each block."""
        return self.of_blocks("rows")

    @property
    def a(self):
        """(n,) friction coefficient of a cone, of a disc [m], lower bound of a box [N s]; 0 for others."""
        return self.of_blocks("a")

    @property
    def b(self):
        """(n,) upper bound of a box [N s]; 0 for others."""
        return self.of_blocks("b")

    @property
    def compliance(self):
        """(n,) [1/kg]: laws hold for v + compliance impulse."""
        return self.of_blocks("compliance")

    @property
    def partner(self):
        """(n,) of a disc the cone whose normal impulse times `a` bounds it; -1 for others."""
        return self.of_blocks("partner")

    cdef object of_blocks(self, str name):
        """One field of all blocks; read-only."""
        cdef ContactProblem* p = self.live()
        cdef int i
        fields = ("law", "first_row", "rows", "partner", "a", "b", "compliance")
        table = []
        for i in range(p.n):
            B = p.block[i]
            partner = B.partner if B.law == DISC else -1
            table.append((B.law, B.first_row, B.rows, partner, B.a, B.b, B.compliance)[fields.index(name)])
        array = np.array(table, dtype=np.intc if name in fields[:4] else np.float64)
        array.flags.writeable = False
        return array

    @property
    def dt(self):
        """Time step [s]."""
        return self.live().dt

    @property
    def v_free(self):
        """(n, 3), or (n_rows,) unless all blocks are cones: velocity at zero impulse less its target [m/s]; read-only.

        Of a contact: of A minus B, normal part minus its target.
        """
        cdef ContactProblem* p = self.live()
        return self.cached("v_free", p.v_free, self.by_row())

    @property
    def target(self):
        """(n, 3), or (n_rows,) unless all blocks are cones: what `v_free` is less of [m/s]; read-only.

        A bounce, or a gap that may close: ``v_free + target`` is the bodies' own velocity.
        """
        cdef ContactProblem* p = self.live()
        if p.target == NULL:
            return np.zeros(self.by_row())
        return self.cached("target", p.target, self.by_row())

    @property
    def position_target(self):
        """(n, 3), or (n_rows,) unless all blocks are cones: speed at which poses part afterwards [m/s]; read-only.

        Where the bodies' own velocity stays below it; no velocity is left of it.  -inf in rows that correct nothing.
        """
        cdef ContactProblem* p = self.live()
        if p.position_target == NULL:
            return np.full(self.by_row(), -np.inf)
        return self.cached("position_target", p.position_target, self.by_row())

    @property
    def depth(self):
        """(n, 3), or (n_rows,) unless all blocks are cones: depth at each normal, negative for a gap [m]; read-only.

        0 in tangential rows; in a row of a joint's limit how far the joint is beyond it [m or rad].
        """
        cdef ContactProblem* p = self.live()
        if p.depth == NULL:
            return np.zeros(self.by_row())
        return self.cached("depth", p.depth, self.by_row())

    @property
    def v_start(self):
        """(n, 3), or (n_rows,) unless all blocks are cones: velocity at the start of the step [m/s]; read-only.

        The bodies' own; nan if unknown.  What a law of restitution begins with: `v_free` has the forces of the step in
        it.
        """
        cdef ContactProblem* p = self.live()
        if p.v_start == NULL:
            return np.full(self.by_row(), np.nan)
        return self.cached("v_start", p.v_start, self.by_row())

    @property
    def drive(self):
        """(n_cones, 3) the part of each contact's `v_free` that kinematic bodies make [m/s]; read-only."""
        cdef ContactProblem* p = self.live()
        drives = np.zeros((p.n_cones, 3))
        if p.drive != NULL:
            drives = doubles(p.drive, (p.n_cones, 3))
        drives.flags.writeable = False
        return drives

    @property
    def bend(self):
        """(n_rows,) half of what turns out of a row in the step, which `v_free` has added [m/s]; read-only.

        Of joints between bodies and stiff wires, whose `v_start` has it taken off; 0 in all other rows.
        """
        cdef ContactProblem* p = self.live()
        bends = np.zeros(p.n_rows)
        if p.bend != NULL:
            bends[3 * p.n_cones:] = doubles(p.bend, (p.n_rows - 3 * p.n_cones,))
        bends.flags.writeable = False
        return bends

    @property
    def jacobian(self):
        """(n_rows, 6 m + k) sparse matrix J with v = v_free + J dv, compressed rows.

        Of dv the first 6 m are the changes of velocity and angular velocity of the m single bodies, world axes, the
        others those of the normalised coordinates of articulated systems, whose inverse mass is 1: an impulse lam makes
        ``dv = W J^T lam``, and ``delassus = J W J^T``.  W is block diagonal, of `inverse_mass` and `inverse_inertia`.
        """
        cdef ContactProblem* p = self.live()
        if self.cache is None:
            self.cache = {}
        if "jacobian" not in self.cache:
            self.cache["jacobian"] = jacobian_of(p)
        return self.cache["jacobian"]

    @property
    def inverse_mass(self):
        """(m,) of the single bodies [1/kg], 0 for one that does not move; read-only."""
        cdef ContactProblem* p = self.live()
        return self.cached("inverse_mass", p.inverse_mass, (p.n_single,))

    @property
    def inverse_inertia(self):
        """(m, 3, 3) of the single bodies about their centres of mass, world axes [1/(kg m^2)]; read-only."""
        cdef ContactProblem* p = self.live()
        if self.cache is None:
            self.cache = {}
        if "inverse_inertia" not in self.cache:
            full = doubles(p.inverse_inertia, (p.n_single, 6))[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
            full.flags.writeable = False
            self.cache["inverse_inertia"] = full
        return self.cache["inverse_inertia"]

    @property
    def friction(self):
        """(n_cones,) friction coefficients; read-only."""
        cdef ContactProblem* p = self.live()
        return self.of_blocks("a")[:p.n_cones]

    @property
    def frame(self):
        """(n_cones, 3, 3) contact axes, rows t1, t2, normal in world axes; read-only."""
        cdef ContactProblem* p = self.live()
        return self.cached("frame", p.frame, (p.n_cones, 3, 3))

    @property
    def key(self):
        """(n,) identity of each block from step to step, records of source, id_a, id_b, feature; all zero for none."""
        cdef ContactProblem* p = self.live()
        cdef Key k
        cdef int i
        keys = np.zeros(p.n, arrays.KEY)
        for i in range(p.n):
            k = p.block[i].key
            keys[i] = (k.source, k.id_a, k.id_b, k.feature)
        keys.flags.writeable = False
        return keys

    @property
    def impulse(self):
        """(n, 3), or (n_rows,) unless all blocks are cones: warm start on entry, solution on return [N s]; writable.

        Of a contact: contact axes, acting on A.
        """
        cdef ContactProblem* p = self.live()
        if self.impulse_array is None:
            self.impulse_array = doubles(p.impulse, self.by_row(), writable=True)
        return self.impulse_array

    @impulse.setter
    def impulse(self, value):
        self.live()
        self.impulse[:] = arrays.numbers(value, self.by_row(), "impulse", "[N s]")

    @property
    def delassus(self):
        """(n_rows, n_rows) matrix G = J M^-1 J^T [1/kg] with v = v_free + G impulse, without compliance; read-only.

        Assembled at first use.
        """
        if self.cache is None:
            self.cache = {}
        if "delassus" not in self.cache:
            self.cache["delassus"] = assemble(self.live())
        return self.cache["delassus"]

    def velocity(self):
        """Velocities of the rows with the present impulses.

        Returns
        -------
        v : (n, 3) ndarray of float64, or (n_rows,) unless all blocks are cones
            ``v_free + G impulse`` [m/s], contact axes, normal part relative to its target.
        """
        cdef ContactProblem* p = self.begin()
        cdef Operator G
        cdef int i
        result = np.empty(p.n_rows)
        cdef double[::1] out = result
        memset(&G, 0, sizeof(Operator))
        try:
            prepare(&G, p)
            for i in range(G.n):                       # all of the target, also what a solver would not ask for
                G.contact[i].v_free = vec3(p.v_free[3 * i], p.v_free[3 * i + 1], p.v_free[3 * i + 2])
            load_impulses(&G, p.impulse)
            read_velocities(&G, out)
        finally:
            release(&G)
        return result.reshape(self.by_row())

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


cdef void read_velocities(const Operator* G, double[::1] out) noexcept:
    """v of every row."""
    cdef Vec3 v
    cdef int i
    for i in range(G.n):
        v = contact_velocity(G, i)
        out[3 * i], out[3 * i + 1], out[3 * i + 2] = v.x, v.y, v.z
    for i in range(G.n_lines):
        out[3 * G.n + i] = line_velocity(G, i)


cdef object assemble(const ContactProblem* p):
    """G, column by column: the velocities that unit impulses make."""
    cdef Operator G
    cdef int i, j, k
    result = np.empty((p.n_rows, p.n_rows))
    cdef double[:, ::1] out = result
    memset(&G, 0, sizeof(Operator))
    try:
        prepare(&G, p)
        for i in range(G.n):
            G.contact[i].v_free = zero3()
        for i in range(G.n_lines):
            G.line[i].v_free = 0.0
        for j in range(p.n_cones):
            for k in range(3):
                clear_velocities(&G)
                add_impulse(&G, j, vec3(k == 0, k == 1, k == 2))
                read_velocities(&G, out[3 * j + k])
        for j in range(G.n_lines):
            clear_velocities(&G)
            add_line_impulse(&G, j, 1.0)
            read_velocities(&G, out[3 * p.n_cones + j])
    finally:
        release(&G)
    result = 0.5 * (result + result.T)
    result.flags.writeable = False
    return result
