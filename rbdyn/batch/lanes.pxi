# One width of lanes.  It speaks double* and knows a model by its C arrays alone; `real` is as wide as -DLANES says.

import numpy as np

from rbdyn.errors import StateError

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport HUGE_VAL, fabs, sqrt
from libc.string cimport memcpy, memset

from rbdyn.kernels.aba cimport aba_inward, aba_outward
from rbdyn.kernels.articulated cimport articulated_factor, has_long_paths, rest_inward, rest_outward
from rbdyn.kernels.coriolis cimport coriolis
from rbdyn.kernels.crba cimport crba, crba_lower
from rbdyn.kernels.configuration cimport difference_joints, integrate_joints
from rbdyn.kernels.jacobian cimport add_jacobian, turn_rows
from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.kernels.ltdl cimport ltdl_factor, ltdl_inverse, ltdl_solve, ltdl_solve_rows
from rbdyn.kernels.momentum cimport mass_moment, moving_mass, total_momentum, twice_kinetic_energy
from rbdyn.kernels.rnea cimport rnea
from rbdyn.kernels.rnea_derivatives cimport (
    Workspace, derivatives_at, mass_and_bias, rnea_derivatives, workspace_of, workspace_size,
)
from rbdyn.memory cimport Arena, close_arena, open_arena, place
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.data cimport open_data
from rbdyn.spatial._algebra cimport (
    Force, Mat3, Motion, Vec3, add3, all_above, dot3, matmul3, max_r, min_r, mul3, real, rows3, splat, vec3,
)

WIDTH = sizeof(real) // sizeof(double)

cdef extern from "batch/transpose.h" nogil:
    enum:
        LANE_COUNT "RBDYN_WIDTH"
    void gather "rbdyn_gather"(const double* rows, int width, int left, real* into)
    void scatter "rbdyn_scatter"(const real* from_, size_t width, int left, double* rows, size_t stride)

cdef enum:
    INVERSE_DYNAMICS = 0
    FORWARD_DYNAMICS = 1
    MASS_MATRIX = 2
    INVERSE_MASS_MATRIX = 3
    CORIOLIS_MATRIX = 4
    FRAME_POSES = 5
    POINT_JACOBIAN = 6
    POINT_JACOBIAN_6D = 7
    BODY_SPATIAL_JACOBIAN = 8
    CENTER_OF_MASS = 9
    MOMENTUM = 10
    KINETIC_ENERGY = 11
    POTENTIAL_ENERGY = 12
    INVERSE_DYNAMICS_DERIVATIVES = 13
    FORWARD_DYNAMICS_DERIVATIVES = 14

TASKS = (
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_mass_matrix", "coriolis_matrix",
    "frame_poses", "point_jacobian", "point_jacobian_6d", "body_spatial_jacobian",
    "center_of_mass", "momentum", "kinetic_energy", "potential_energy",
    "inverse_dynamics_derivatives", "forward_dynamics_derivatives",
)


cdef struct Spot:                 # where a frame sits, as wide as the lanes: a row of Model.placement_rows
    int body                      # internal index
    int turn                      # model.Turn: how R can be applied without arithmetic
    bint shifted                  # p is not zero
    Mat3 R
    Vec3 p

cdef Spot spot_of(const double* row) noexcept nogil:
    cdef Spot s
    s.body, s.turn, s.shifted = <int> row[0], <int> row[1], row[2] != 0.0
    s.R = rows3(vec3(splat(row[3]), splat(row[4]), splat(row[5])), vec3(splat(row[6]), splat(row[7]), splat(row[8])),
                vec3(splat(row[9]), splat(row[10]), splat(row[11])))
    s.p = vec3(splat(row[12]), splat(row[13]), splat(row[14]))
    return s


cdef Mat3 turned(Mat3 R, const Spot* s) noexcept nogil:
    """R s.R; turns about an axis only exchange columns."""
    if s.turn == 0:
        return R
    if s.turn == 1:                                  # columns z, x, y of R
        return rows3(vec3(R.xz, R.xx, R.xy), vec3(R.yz, R.yx, R.yy), vec3(R.zz, R.zx, R.zy))
    if s.turn == 2:                                  # columns y, z, x of R
        return rows3(vec3(R.xy, R.xz, R.xx), vec3(R.yy, R.yz, R.yx), vec3(R.zy, R.zz, R.zx))
    return matmul3(R, s.R)


cdef void write_pose(const CData* d, const Spot* s, real* T) noexcept nogil:
    """A homogeneous (4, 4) matrix."""
    cdef Mat3 R = turned(d.R[s.body], s)
    cdef Vec3 p = add3(d.p[s.body], mul3(d.R[s.body], s.p)) if s.shifted else d.p[s.body]
    T[0], T[1], T[2], T[3] = R.xx, R.xy, R.xz, p.x
    T[4], T[5], T[6], T[7] = R.yx, R.yy, R.yz, p.y
    T[8], T[9], T[10], T[11] = R.zx, R.zy, R.zz, p.z
    T[12], T[13], T[14], T[15] = splat(0.0), splat(0.0), splat(0.0), splat(1.0)


cdef Py_ssize_t size_of(const CModel* m, int which, Py_ssize_t n_spots) noexcept nogil:
    """How many numbers a task gives for a state."""
    cdef Py_ssize_t nv = m.nv
    if which <= FORWARD_DYNAMICS:
        return nv
    if which <= CORIOLIS_MATRIX:
        return nv * nv
    if which == FRAME_POSES:
        return 16 * n_spots
    if which == POINT_JACOBIAN:
        return 3 * nv
    if which <= BODY_SPATIAL_JACOBIAN:
        return 6 * nv
    if which <= MOMENTUM:
        return 3 if which == CENTER_OF_MASS else 6
    return 1 if which <= POTENTIAL_ENERGY else 3 * nv * nv


cdef bint are_finite(const real* x, Py_ssize_t n) noexcept nogil:
    """Whether all numbers in all lanes are."""
    cdef real total = splat(0.0)
    cdef Py_ssize_t k
    for k in range(n):
        total = total + (x[k] - x[k])                # NaN of what is not finite
    return all_above(splat(1.0), total)


cdef bint make_unit(const CModel* m, real* q) noexcept nogil:
    """Quaternions and pairs [sine, cosine] of unit length, as `State.set` makes them; False if one is far from it."""
    cdef double* x
    cdef double n
    cdef int b, lane, k
    for b in range(m.n_blocks):
        if m.blocks[b].size == 3:
            continue                                 # any p is a rotation
        for lane in range(LANE_COUNT):
            x = <double*> (q + m.blocks[b].start) + lane
            n = x[0] * x[0] + x[LANE_COUNT] * x[LANE_COUNT]
            if m.blocks[b].size > 2:
                n += x[2 * LANE_COUNT] * x[2 * LANE_COUNT]
            if m.blocks[b].size > 3:
                n += x[3 * LANE_COUNT] * x[3 * LANE_COUNT]
            if not fabs(n - 1.0) < 2e-3:
                return False
            if fabs(n - 1.0) > 1e-15:
                n = 1.0 / sqrt(n)
                for k in range(m.blocks[b].size):
                    x[k * LANE_COUNT] *= n
    return True


cdef class Lanes:
    """WIDTH states of one model: arrays have one more axis, the last, of length WIDTH.

    Parameters
    ----------
    model : capsule
        What `Model.capsule()` returns.
    """

    cdef object capsule       # keeps the model alive
    cdef const CModel* m
    cdef CData* d             # aligned as its vectors ask for, which a Python object is not
    cdef Arena memory
    cdef real* x              # (nv,) what comes in
    cdef real* y              # (nv,) what goes out
    cdef real* A              # (max(nv, 6), nv) a matrix
    cdef real* B              # (nv, nv) another
    cdef real* some           # (16,) a pose, or fewer numbers
    cdef Arena more           # of what derivatives need, once somebody asks for them
    cdef real* D              # (3, nv, nv) of q, of v, and M or its inverse
    cdef char* workspace

    def __init__(self, model):
        if self.m is not NULL:
            raise StateError("Lanes cannot be initialised twice; make new ones")
        cdef const CModel* m = <const CModel*> PyCapsule_GetPointer(model, "rbdyn.CModel")
        self.layout(m)
        open_arena(&self.memory)
        self.layout(m)
        open_data(self.d, m)
        self.capsule, self.m = model, m

    def __dealloc__(self):
        if self.d is not NULL:
            close_arena(&self.d.memory)
        close_arena(&self.memory)
        close_arena(&self.more)

    cdef void layout(self, const CModel* m) noexcept:
        self.d = <CData*> place(&self.memory, 1, sizeof(CData))
        self.x = <real*> place(&self.memory, m.nv, sizeof(real))
        self.y = <real*> place(&self.memory, m.nv, sizeof(real))
        self.A = <real*> place(&self.memory, max(m.nv, 6) * <size_t> m.nv, sizeof(real))
        self.B = <real*> place(&self.memory, m.nv * <size_t> m.nv, sizeof(real))
        self.some = <real*> place(&self.memory, 16, sizeof(real))

    cdef void layout_more(self, const CModel* m) noexcept:
        self.D = <real*> place(&self.more, 3 * m.nv * <size_t> m.nv, sizeof(real))
        self.workspace = <char*> place(&self.more, workspace_size(m), 1)

    cdef int take_more(self, int which) except -1:
        """Memory for a task that needs more of it than most."""
        if which >= INVERSE_DYNAMICS_DERIVATIVES and self.more.block is NULL:
            self.layout_more(self.m)
            open_arena(&self.more)
            self.layout_more(self.m)
        return 0

    cdef const CModel* use(self) except NULL:
        if self.m is NULL:
            raise StateError("these Lanes were made without a model; call Lanes(capsule)")
        return self.m

    cdef int read(self, object given, int n, str name, real* into) except -1:
        """(n, WIDTH) numbers, copied to aligned memory."""
        cdef double[:, ::1] rows = np.ascontiguousarray(given, np.float64)
        if rows.shape[0] != n or rows.shape[1] != WIDTH:
            raise StateError(f"{name} must have shape ({n}, {WIDTH}), got ({rows.shape[0]}, {rows.shape[1]})")
        if n:
            memcpy(into, &rows[0, 0], n * sizeof(real))
        return 0

    cdef object written(self, const real* from_, tuple shape):
        """A fresh array of that shape and WIDTH."""
        array = np.empty((*shape, WIDTH))
        cdef double[::1] flat = array.ravel()
        if flat.shape[0]:
            memcpy(&flat[0], from_, flat.shape[0] * sizeof(double))
        return array

    def set(self, q, v):
        """Configurations (nq, WIDTH), their quaternions of unit length, and velocities (nv, WIDTH)."""
        cdef const CModel* m = self.use()
        self.d.stage = 0
        self.read(q, m.nq, "q", self.d.q)
        self.read(v, m.nv, "v", self.d.v)

    def rows(self, str task not None, const double[:, ::1] q not None, const double[:, ::1] v, const double[:, ::1] x,
             double[:, ::1] out not None, const double[:, ::1] spots=None):
        """A task on a row for each state: q (n, nq), v (n, nv) or None, x (n, nv) or None, out (n, size).

        `spots` are rows of `Model.placement_rows` for poses, one row for Jacobians.

        Returns
        -------
        done : int
            n, or the first of a group of rows one of which holds a quaternion that is not of unit length, or is not
            certain to be right: a pivot is small, or a result is not finite.
        """
        cdef const CModel* m = self.use()
        cdef int which = TASKS.index(task)
        cdef Py_ssize_t n = q.shape[0], done = 0, n_spots = 0 if spots is None else spots.shape[0]
        cdef Py_ssize_t size = size_of(m, which, n_spots)
        cdef const real* result
        cdef Spot spot
        if q.shape[1] != m.nq or out.shape[0] != n or out.shape[1] != size:
            raise StateError(f"q must have shape (n, {m.nq}) and out (n, {size})")
        if (v is not None and (v.shape[0] != n or v.shape[1] != m.nv)
                or x is not None and (x.shape[0] != n or x.shape[1] != m.nv)):
            raise StateError(f"v and x must have shape ({n}, {m.nv})")
        self.check_spots(which, spots, n_spots)
        self.take_more(which)
        if size == 0 or n == 0:
            return n
        if n_spots:
            spot = spot_of(&spots[0, 0])
        with nogil:
            while done < n:
                self.d.stage = 0
                if m.nq:
                    gather(&q[done, 0], m.nq, n - done, self.d.q)
                if not make_unit(m, self.d.q):
                    break
                memset(self.d.v, 0, m.nv * sizeof(real))
                memset(self.x, 0, m.nv * sizeof(real))
                if v is not None and m.nv:
                    gather(&v[done, 0], m.nv, n - done, self.d.v)
                if x is not None and m.nv:
                    gather(&x[done, 0], m.nv, n - done, self.x)
                if not (are_finite(self.d.q, m.nq) and are_finite(self.d.v, m.nv) and are_finite(self.x, m.nv)):
                    break
                if which == FRAME_POSES:
                    if not self.put_poses(&spots[0, 0], n_spots, n - done, &out[done, 0]):
                        break
                else:
                    result = self.computed(which, &spot)
                    if not self.is_sound(which, result, size):
                        break
                    scatter(result, size, n - done, &out[done, 0], size)
                done += LANE_COUNT
        return min(done, n)

    cdef bint put_poses(self, const double* spots, Py_ssize_t n_spots, Py_ssize_t n, double* out) noexcept nogil:
        """Poses of all spots, for so many rows at most; False if one is not finite."""
        cdef Spot spot
        cdef Py_ssize_t k
        poses(self.m, self.d)
        for k in range(n_spots):
            spot = spot_of(spots + 15 * k)
            write_pose(self.d, &spot, self.some)
            if not are_finite(self.some, 16):
                return False
            scatter(self.some, 16, n, out + 16 * k, 16 * n_spots)
        return True

    cdef int check_spots(self, int which, const double[:, ::1] spots, Py_ssize_t n) except -1:
        """StateError unless they are rows of a Model, as many as the task is of."""
        cdef Py_ssize_t k
        for k in range(n):
            if spots.shape[1] != 15 or not 0 <= spots[k, 0] < self.m.nb:
                raise StateError(f"spots must be rows of Model.placement_rows, got {np.asarray(spots[k]).tolist()}")
        if FRAME_POSES < which <= BODY_SPATIAL_JACOBIAN and n != 1:
            raise StateError(f"{TASKS[which]} is of one spot, got {n}")
        return 0

    cdef const real* computed(self, int which, const Spot* spot) noexcept nogil:
        """The result of a task on what is in d.q, d.v and x."""
        cdef const CModel* m = self.m
        if which >= INVERSE_DYNAMICS_DERIVATIVES:
            return self.derivatives(which)
        if which >= CENTER_OF_MASS:
            return self.summed(which)
        if which >= POINT_JACOBIAN:
            return self.jacobian_at(which, spot)
        if which == INVERSE_DYNAMICS:
            rnea(m, self.d, self.x, self.y, False)
            return self.y
        if which == FORWARD_DYNAMICS:
            aba_inward(m, self.d, self.x, NULL, False)
            aba_outward(m, self.d, self.y)
            return self.y
        memset(self.A, 0, m.nv * <size_t> m.nv * sizeof(real))
        if which == MASS_MATRIX:
            crba(m, self.d, self.A)
            return self.A
        if which == CORIOLIS_MATRIX:
            coriolis(m, self.d, self.A)
            return self.A
        if has_long_paths(m, self.d):
            articulated_factor(m, self.d, self.A)
        else:
            crba_lower(m, self.d, self.A)
            ltdl_factor(m, self.A)
        ltdl_inverse(m, self.A, self.B)
        return self.B

    cdef bint is_sound(self, int which, const real* result, Py_ssize_t size) noexcept nogil:
        """Whether results are finite, and no pivot is so small that it might be an error (kernels/singular.pxd)."""
        cdef const CModel* m = self.m
        cdef bint by_bodies = which == FORWARD_DYNAMICS
        cdef real longest = splat(0.0), lowest = splat(HUGE_VAL), pivot
        cdef int i, j, k
        if not are_finite(result, size):
            return False
        if not (by_bodies or which == INVERSE_MASS_MATRIX or which == FORWARD_DYNAMICS_DERIVATIVES):
            return True
        for i in range(1, m.nb):
            if m.parent[i]:
                longest = max_r(longest, dot3(self.d.X[i].r, self.d.X[i].r))
            for j in range(m.nvi[i]):
                k = m.vi[i] + j
                if not by_bodies:
                    pivot = self.A[k * (m.nv + 1)]
                elif m.nvi[i] == 1:
                    pivot = self.d.D[6 * k]
                else:                                # the diagonal of a Cholesky factor
                    pivot = self.d.D[6 * k + j] * self.d.D[6 * k + j]
                lowest = min_r(lowest, pivot)
        return all_above(lowest, max_r(splat(1e-9 * m.mass), splat(1e-9) * (splat(m.trace) + m.mass * longest)))

    cdef const real* jacobian_at(self, int which, const Spot* spot) noexcept nogil:
        """Of a point of a body, or of a frame in its own axes."""
        cdef const CModel* m = self.m
        cdef int body = spot.body
        poses(m, self.d)
        memset(self.A, 0, 6 * m.nv * sizeof(real))
        add_jacobian(m, self.d, body, add3(self.d.p[body], mul3(self.d.R[body], spot.p)), splat(1.0),
                     which != POINT_JACOBIAN, m.nv, -1, self.A)
        if which == BODY_SPATIAL_JACOBIAN:
            turn_rows(matmul3(self.d.R[body], spot.R), m.nv, self.A)
        return self.A

    cdef const real* summed(self, int which) noexcept nogil:
        """What is a sum over the bodies."""
        cdef const CModel* m = self.m
        cdef real* y = self.some
        cdef real mass
        cdef Vec3 c
        cdef Force h
        if which == KINETIC_ENERGY:
            y[0] = splat(0.5) * twice_kinetic_energy(m, self.d)
        elif which == MOMENTUM:
            h = total_momentum(m, self.d)
            y[0], y[1], y[2], y[3], y[4], y[5] = h.n.x, h.n.y, h.n.z, h.f.x, h.f.y, h.f.z
        else:
            c = mass_moment(m, self.d)
            if which == CENTER_OF_MASS:
                mass = splat(moving_mass(m))
                y[0], y[1], y[2] = c.x / mass, c.y / mass, c.z / mass
            else:
                y[0] = -dot3(mul3(self.d.R[0], self.d.gravity), c)
        return y

    cdef const real* derivatives(self, int which) noexcept nogil:
        """Of inverse or forward dynamics: three matrices."""
        cdef const CModel* m = self.m
        cdef size_t size = m.nv * <size_t> m.nv
        cdef real* dq = self.D
        cdef real* dv = self.D + size
        cdef real* M = self.D + 2 * size
        cdef Workspace w = workspace_of(m, self.workspace)
        cdef int k
        memset(self.D, 0, 3 * size * sizeof(real))
        if which == INVERSE_DYNAMICS_DERIVATIVES:
            rnea_derivatives(m, self.d, self.x, False, w, dq, dv, M)
            return self.D
        memset(self.A, 0, size * sizeof(real))
        mass_and_bias(m, self.d, False, w, self.A, self.y)
        ltdl_factor(m, self.A)
        for k in range(m.nv):
            self.y[k] = self.x[k] - self.y[k]
        ltdl_solve(m, self.A, self.y)
        derivatives_at(m, self.d, self.y, w, dq, dv)
        ltdl_solve_rows(m, self.A, m.nv, splat(-1.0), dq, dv)
        ltdl_inverse(m, self.A, M)
        return self.D

    def first_far(self, const double[:, ::1] q not None):
        """The first row of q (n, nq) with a quaternion or a pair [sine, cosine] far from unit length; n if none has."""
        cdef const CModel* m = self.use()
        cdef Py_ssize_t k
        cdef int b, i
        cdef double length
        if q.shape[1] != m.nq:
            raise StateError(f"q must have shape (n, {m.nq})")
        for k in range(q.shape[0]):
            for b in range(m.n_blocks):
                length = 0.0
                for i in range(m.blocks[b].start, m.blocks[b].start + m.blocks[b].size):
                    length += q[k, i] * q[k, i]
                if m.blocks[b].size != 3 and not fabs(length - 1.0) < 2e-3:
                    return k
        return q.shape[0]

    def integrated(self, const double[:, ::1] q not None, const double[:, ::1] v not None, double dt,
                   double[:, ::1] out not None):
        """`integrate` on a row for each state; out (n, nq) holds q already."""
        cdef const CModel* m = self.use()
        cdef Py_ssize_t k
        if q.shape[1] != m.nq or v.shape[1] != m.nv or out.shape[1] != m.nq or not (
                q.shape[0] == v.shape[0] == out.shape[0]):
            raise StateError(f"q and out must have shape (n, {m.nq}), and v (n, {m.nv})")
        if m.nv:
            with nogil:
                for k in range(q.shape[0]):
                    memcpy(&out[k, 0], &q[k, 0], m.nq * sizeof(double))
                    integrate_joints(m, &out[k, 0], &v[k, 0], dt)

    def differences(self, const double[:, ::1] q0 not None, const double[:, ::1] q1 not None,
                    double[:, ::1] out not None):
        """`difference` on a row for each pair of states; out (n, nv)."""
        cdef const CModel* m = self.use()
        cdef Py_ssize_t k
        if q0.shape[1] != m.nq or q1.shape[1] != m.nq or out.shape[1] != m.nv or not (
                q0.shape[0] == q1.shape[0] == out.shape[0]):
            raise StateError(f"q0 and q1 must have shape (n, {m.nq}), and out (n, {m.nv})")
        if m.nv:
            with nogil:
                for k in range(q0.shape[0]):
                    difference_joints(m, &q0[k, 0], &q1[k, 0], &out[k, 0])

    def poses(self):
        """Rotations (nb, 3, 3, WIDTH) and origins (nb, 3, WIDTH) of the internal body frames."""
        cdef const CModel* m = self.use()
        poses(m, self.d)
        return (self.written(<const real*> self.d.R, (m.nb, 3, 3)), self.written(<const real*> self.d.p, (m.nb, 3)))

    def velocities(self):
        """Velocities of the internal body frames in their own axes, (nb, 6, WIDTH)."""
        cdef const CModel* m = self.use()
        velocities(m, self.d)
        return self.written(<const real*> self.d.vel, (m.nb, 6))

    def inverse_dynamics(self, vd):
        """tau (nv, WIDTH) of accelerations (nv, WIDTH)."""
        cdef const CModel* m = self.use()
        self.read(vd, m.nv, "vd", self.x)
        rnea(m, self.d, self.x, self.y, False)
        return self.written(self.y, (m.nv,))

    def forward_dynamics(self, tau):
        """Accelerations (nv, WIDTH) of tau (nv, WIDTH)."""
        cdef const CModel* m = self.use()
        self.read(tau, m.nv, "tau", self.x)
        aba_inward(m, self.d, self.x, NULL, False)
        aba_outward(m, self.d, self.y)
        return self.written(self.y, (m.nv,))

    def mass_matrix(self):
        """M(q), (nv, nv, WIDTH)."""
        cdef const CModel* m = self.use()
        memset(self.A, 0, m.nv * <size_t> m.nv * sizeof(real))
        crba(m, self.d, self.A)
        return self.written(self.A, (m.nv, m.nv))

    def solve_mass_matrix(self, b):
        """M(q)^-1 b, (nv, WIDTH)."""
        cdef const CModel* m = self.use()
        self.read(b, m.nv, "b", self.y)
        rest_inward(m, self.d, self.y)
        rest_outward(m, self.d, self.y)
        return self.written(self.y, (m.nv,))

    def inverse_mass_matrix(self):
        """M(q)^-1, (nv, nv, WIDTH)."""
        cdef const CModel* m = self.use()
        memset(self.A, 0, m.nv * <size_t> m.nv * sizeof(real))
        if has_long_paths(m, self.d):
            articulated_factor(m, self.d, self.A)
        else:
            crba_lower(m, self.d, self.A)
            ltdl_factor(m, self.A)
        ltdl_inverse(m, self.A, self.B)
        return self.written(self.B, (m.nv, m.nv))

    def coriolis_matrix(self):
        """C(q, v), (nv, nv, WIDTH)."""
        cdef const CModel* m = self.use()
        memset(self.A, 0, m.nv * <size_t> m.nv * sizeof(real))
        coriolis(m, self.d, self.A)
        return self.written(self.A, (m.nv, m.nv))

    def jacobian(self, int body, double x, double y, double z):
        """Jacobian (6, nv, WIDTH) of a point of an internal body frame, root axes."""
        cdef const CModel* m = self.use()
        cdef Vec3 at
        if not 0 <= body < m.nb:
            raise StateError(f"body must be from 0 to {m.nb - 1}, got {body}")
        poses(m, self.d)
        at = add3(self.d.p[body], mul3(self.d.R[body], vec3(splat(x), splat(y), splat(z))))
        memset(self.A, 0, 6 * m.nv * sizeof(real))
        add_jacobian(m, self.d, body, at, splat(1.0), True, m.nv, -1, self.A)
        return self.written(self.A, (6, m.nv))
