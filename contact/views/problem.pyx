"""A contact problem that owns its arrays, for use without a World."""

from libc.string cimport memcpy, memset

from rbdyn.contact.problem cimport CONTACT_PROBLEM_VERSION, Block, ContactProblem, Entry, Entry3, RowSide
from rbdyn.contact.views.view cimport ContactView

import numpy as np

from rbdyn.contact.laws import LAW_NAMES as _LAW_NAMES
from rbdyn.contact.views import arrays
from rbdyn.errors import ContactError


cdef double* pointer(array):
    """The data of a C-contiguous float64 array that somebody else keeps alive."""
    cdef double[::1] flat = array.reshape(-1)
    return &flat[0] if flat.shape[0] > 0 else NULL


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
    target : (n, 3) array_like of float, optional
        What `v_free` is less of [m/s]: ``v_free + target`` is the bodies' own velocity; 0 if left out.
    dt : float, optional
        Time step [s]; 0, the default, for a problem that is no step of a simulation: it is solved with more precision.
    frame : (n, 3, 3) array_like of float, optional
        Contact axes, rows t1, t2, normal in world axes; the identity if left out.
    key : (n,) array_like of int, optional
        Identity of the contacts for the warm start of `ContactSolver.step`, ascending; 0 for none.

    Raises
    ------
    ContactError
        If a shape is wrong, a value is not finite, or G is not symmetric and positive semi-definite.
    """

    def __init__(self, delassus, v_free, friction, *, target=None, dt=0.0, frame=None, key=None):
        if self.p != NULL:
            raise ContactError("a Problem cannot be initialised twice: make a new one")
        made = arrays.from_delassus(delassus, v_free, friction, dt, frame, key)
        self.take(arrays.with_target(made, target, (made["n"], 3)))

    @classmethod
    def from_bodies(cls, inverse_mass, inverse_inertia, *, frame, v_free, friction, single_a, arm_a, single_b=None,
                    arm_b=None, rows=None, target=None, dt=0.0, key=None):
        """A problem between single bodies, and optionally articulated systems given by their rows.

        Parameters
        ----------
        inverse_mass : (m,) array_like of float
            [1/kg], 0 for a body that does not move.
        inverse_inertia : (m, 3, 3) array_like of float
            About the centre of mass, world axes [1/(kg m^2)]; symmetric, positive semi-definite.
        frame, v_free, friction, target, dt, key
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
        made = arrays.from_bodies(inverse_mass, inverse_inertia, frame, v_free, friction, single_a, arm_a,
                                  single_b, arm_b, rows, dt, key)
        problem.take(arrays.with_target(made, target, (made["n"], 3)))
        return problem

    @classmethod
    def from_blocks(cls, blocks, delassus, v_free, *, target=None, dt=0.0, key=None):
        """A problem of any laws, given by its matrix.

        Parameters
        ----------
        blocks : sequence of dict
            ``{"law": "cone", "friction": mu}``, ``{"law": "unilateral"}``, ``{"law": "bilateral"}``, ``{"law": "box",
            "low": a, "high": b}`` with bounds a <= 0 <= b [N s], or ``{"law": "disc", "friction": a, "partner": i}``,
            at most a [m] times the normal impulse of cone i; all but cones take ``"rows"``, 1 to 6 (a disc 1 or 2), and
            all take ``"compliance"`` [1/kg].  Cones come first, discs last.
        delassus : (m, m) array_like of float
            Symmetric, positive semi-definite matrix over the rows of all blocks, in their order [1/kg].
        v_free : (m,) array_like of float
            Velocity at zero impulse, less its target [m/s].
        target : (m,) array_like of float, optional
        dt, key
            As for `Problem`; keys ascend among the cones, and among the other blocks.

        Raises
        ------
        ContactError
            If a block is not as above, a shape is wrong, or G is not symmetric and positive semi-definite.

        Examples
        --------
        >>> motor = [{"law": "box", "low": -0.5, "high": 0.5}]
        >>> problem = Problem.from_blocks(motor, [[2.0]], [-3.0])
        >>> BisectionSolver().solve(problem)
        >>> problem.impulse
        array([0.5])
        """
        cdef Problem problem = cls.__new__(cls)
        made = arrays.from_blocks(blocks, delassus, v_free, dt, key)
        problem.take(arrays.with_target(made, target, (made["n_rows"],)))
        return problem

    @classmethod
    def from_rows(cls, blocks, rows, v_free, *, target=None, dt=0.0, key=None):
        """A problem of any laws, given by a factor of its matrix: sparse where what the blocks act on is apart.

        Parameters
        ----------
        rows : (m, k) array_like of float
            Columns of J M^-1/2 in normalised coordinates [kg^-1/2]: the matrix is ``rows @ rows.T``.
        blocks, v_free, target, dt, key
            As for `from_blocks`.

        Raises
        ------
        ContactError
            If a block is not as for `from_blocks`, or a shape is wrong.

        Examples
        --------
        >>> weld = [{"law": "bilateral"}]  # of masses of 1 and 4 kg
        >>> problem = Problem.from_rows(weld, [[1.0, -0.5]], [-2.5])
        >>> BisectionSolver().solve(problem)
        >>> problem.impulse
        array([2.])
        """
        cdef Problem problem = cls.__new__(cls)
        made = arrays.from_rows(blocks, rows, v_free, dt, key)
        problem.take(arrays.with_target(made, target, (made["n_rows"],)))
        return problem

    cdef int take(self, dict a) except -1:
        """Point `own` into checked arrays."""
        cdef int[::1] single_a = a["single_a"]
        cdef int[::1] single_b = a["single_b"]
        cdef int[::1] row_start = a["row_start"]
        cdef int[::1] entry_start = a["entry_start"]
        cdef unsigned char[::1] rows, entries, blocks
        a["rows"] = pack_rows(a["coordinate"], a["columns"])
        a["entries"] = pack_entries(a["entry_coordinate"], a["entry_y"])
        a["packed"] = pack_blocks(a["blocks"], a["key"])
        a["held"] = np.zeros(max(1, a["n_rows"]))
        rows, entries, blocks = a["rows"], a["entries"], a["packed"]
        self.arrays, self.cache, self.impulse_array = a, None, None
        memset(&self.own, 0, sizeof(ContactProblem))
        self.own.version = CONTACT_PROBLEM_VERSION
        self.own.n, self.own.n_cones, self.own.n_rows = a["n"], a["n_cones"], a["n_rows"]
        self.own.n_single, self.own.n_coordinates = len(a["inverse_mass"]), a["n_coordinates"]
        self.own.dt = a["dt"]
        self.own.frame, self.own.v_free = pointer(a["frame"]), pointer(a["v_free"])
        self.own.target, self.own.impulse = pointer(a["target"]), pointer(a["held"])
        self.own.arm_a, self.own.arm_b = pointer(a["arm_a"]), pointer(a["arm_b"])
        self.own.inverse_mass, self.own.inverse_inertia = pointer(a["inverse_mass"]), pointer(a["inverse_inertia"])
        self.own.entry3_start, self.own.entry_start = &row_start[0], &entry_start[0]
        if self.own.n_cones > 0:
            self.own.single_a, self.own.single_b = &single_a[0], &single_b[0]
        if rows.shape[0] > 0:
            self.own.entry3 = <const Entry3*>&rows[0]
        if entries.shape[0] > 0:
            self.own.entry = <const Entry*>&entries[0]
        if blocks.shape[0] > 0:
            self.own.block = <const Block*>&blocks[0]
        self.p = &self.own
        return 0


cdef object bytes_of(const void* memory, size_t size):
    """A copy of some memory as an array of bytes."""
    held = np.empty(size if size else 1, np.uint8)
    cdef unsigned char[::1] to = held
    if memory != NULL and size > 0:
        memcpy(&to[0], memory, size)
    return held


cdef void* keep(dict held, str name, const void* memory, size_t size) except? NULL:
    """Where a copy of some memory is, which `held` keeps; NULL of NULL."""
    cdef unsigned char[::1] to
    if memory == NULL:
        return NULL
    held[name] = bytes_of(memory, size)
    to = held[name]
    return &to[0]


cdef size_t root_length(const ContactProblem* p):
    """Return how many numbers `root` holds."""
    cdef size_t most = 0, end
    cdef int c, k
    for c in range(p.n_coordinates):
        k, end = c, p.root_start[c]
        while k >= 0:
            k, end = p.above[k], end + 1
        most = max(most, end)
    return most


cdef Problem copy_of(const ContactProblem* p):
    """A Problem with the same numbers, impulses too, and arrays of its own."""
    cdef Problem problem = Problem.__new__(Problem)
    cdef ContactProblem* own = &problem.own
    cdef dict held = {}
    cdef size_t rows = p.n_rows, cones = p.n_cones, lines = p.n_rows - 3 * p.n_cones, number = sizeof(double)
    problem.arrays = held
    own[0] = p[0]
    own.block = <const Block*> keep(held, "block", p.block, p.n * sizeof(Block))
    own.v_free = <const double*> keep(held, "v_free", p.v_free, rows * number)
    own.target = <const double*> keep(held, "target", p.target, rows * number)
    own.position_target = <const double*> keep(held, "position_target", p.position_target, rows * number)
    own.v_start = <const double*> keep(held, "v_start", p.v_start, rows * number)
    own.bend = <const double*> keep(held, "bend", p.bend, lines * number)
    own.drive = <const double*> keep(held, "drive", p.drive, 3 * cones * number)
    own.depth = <const double*> keep(held, "depth", p.depth, rows * number)
    own.impulse = <double*> keep(held, "impulse", p.impulse, rows * number)
    own.frame = <const double*> keep(held, "frame", p.frame, 9 * cones * number)
    own.single_a = <const int*> keep(held, "single_a", p.single_a, cones * sizeof(int))
    own.single_b = <const int*> keep(held, "single_b", p.single_b, cones * sizeof(int))
    own.arm_a = <const double*> keep(held, "arm_a", p.arm_a, 3 * cones * number)
    own.arm_b = <const double*> keep(held, "arm_b", p.arm_b, 3 * cones * number)
    if p.entry3_start != NULL:
        own.entry3 = <const Entry3*> keep(held, "entry3", p.entry3, p.entry3_start[cones] * sizeof(Entry3))
    own.entry3_start = <const int*> keep(held, "entry3_start", p.entry3_start, (cones + 1) * sizeof(int))
    own.mobility = <const double*> keep(held, "mobility", p.mobility, 6 * cones * number)
    own.side = <const RowSide*> keep(held, "side", p.side, 2 * (lines + p.n_further) * sizeof(RowSide))
    if p.entry_start != NULL:
        own.entry = <const Entry*> keep(held, "entry", p.entry, p.entry_start[lines] * sizeof(Entry))
    own.entry_start = <const int*> keep(held, "entry_start", p.entry_start, (lines + 1) * sizeof(int))
    if p.above != NULL:
        own.term = <const Entry*> keep(held, "term", p.term, p.term_start[lines] * sizeof(Entry))
        own.term_start = <const int*> keep(held, "term_start", p.term_start, (lines + 1) * sizeof(int))
        own.root = <const double*> keep(held, "root", p.root, root_length(p) * number)
        own.root_start = <const int*> keep(held, "root_start", p.root_start, p.n_coordinates * sizeof(int))
        own.above = <const int*> keep(held, "above", p.above, p.n_coordinates * sizeof(int))
    own.inverse_mass = <const double*> keep(held, "inverse_mass", p.inverse_mass, p.n_single * number)
    own.inverse_inertia = <const double*> keep(held, "inverse_inertia", p.inverse_inertia, 6 * p.n_single * number)
    problem.p = own
    return problem


cdef object pack_blocks(blocks, keys):
    """Blocks as the bytes of C structs."""
    packed = np.zeros(len(blocks) * sizeof(Block), np.uint8)
    cdef unsigned char[::1] data = packed
    cdef Block* block
    cdef int i, first = 0
    for i, (law, rows, a, b, compliance, partner) in enumerate(blocks):
        block = <Block*>&data[0] + i
        block.law, block.first_row, block.rows = _LAW_NAMES.index(law), first, rows
        block.a, block.b, block.compliance, block.partner = a, b, compliance, partner
        block.key.source, block.key.id_a, block.key.id_b, block.key.feature = [int(k) for k in keys[i]]
        first += rows
    return packed


cdef object pack_entries(coordinate, y):
    """Entries as the bytes of C structs."""
    cdef int[::1] index = coordinate
    cdef double[::1] values = y
    packed = np.zeros(index.shape[0] * sizeof(Entry), np.uint8)
    cdef unsigned char[::1] data = packed
    cdef Entry* entry
    cdef int j
    for j in range(index.shape[0]):
        entry = <Entry*>&data[0] + j
        entry.coordinate, entry.y = index[j], values[j]
    return packed


cdef object pack_rows(coordinate, columns):
    """Rows as the bytes of C structs."""
    cdef int[::1] index = coordinate
    cdef double[:, ::1] y = columns
    packed = np.zeros(index.shape[0] * sizeof(Entry3), np.uint8)
    cdef unsigned char[::1] data = packed
    cdef Entry3* row
    cdef int j
    for j in range(index.shape[0]):
        row = <Entry3*>&data[0] + j
        row.coordinate, row.x, row.y, row.n = index[j], y[j, 0], y[j, 1], y[j, 2]
    return packed
