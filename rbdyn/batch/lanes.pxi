# One width of lanes.  It speaks double* and knows a model by its C arrays alone; `real` is as wide as -DLANES says.

import numpy as np

from rbdyn.errors import StateError

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport fabs, sqrt
from libc.string cimport memcpy, memset

from rbdyn.kernels.aba cimport aba_inward, aba_outward
from rbdyn.kernels.articulated cimport articulated_factor, has_long_paths, rest_inward, rest_outward
from rbdyn.kernels.coriolis cimport coriolis
from rbdyn.kernels.crba cimport crba, crba_lower
from rbdyn.kernels.jacobian cimport add_jacobian
from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.kernels.ltdl cimport ltdl_factor, ltdl_inverse
from rbdyn.kernels.rnea cimport rnea
from rbdyn.memory cimport Arena, close_arena, open_arena, place
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.data cimport open_data
from rbdyn.spatial._algebra cimport Mat3, Motion, Vec3, add3, mul3, real, splat, vec3

WIDTH = sizeof(real) // sizeof(double)

cdef extern from *:
    enum:
        LANE_COUNT "((int) (sizeof(real) / sizeof(double)))"

cdef enum:
    INVERSE_DYNAMICS = 0
    FORWARD_DYNAMICS = 1
    MASS_MATRIX = 2
    INVERSE_MASS_MATRIX = 3
    CORIOLIS_MATRIX = 4

TASKS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_mass_matrix", "coriolis_matrix")


cdef void gather(const double* rows, int width, int left, real* into) noexcept nogil:
    """A row for each lane; where there are fewer rows than lanes, the last one again."""
    cdef double* to = <double*> into
    cdef const double* row
    cdef int lane, k
    for lane in range(LANE_COUNT):
        row = rows + <size_t> min(lane, left - 1) * width
        for k in range(width):
            to[k * LANE_COUNT + lane] = row[k]


cdef void scatter(const real* from_, size_t width, int left, double* rows) noexcept nogil:
    """Back to a row for each lane."""
    cdef const double* x = <const double*> from_
    cdef int lane
    cdef size_t k
    for lane in range(min(LANE_COUNT, left)):
        for k in range(width):
            rows[lane * width + k] = x[k * LANE_COUNT + lane]


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

    cdef void layout(self, const CModel* m) noexcept:
        self.d = <CData*> place(&self.memory, 1, sizeof(CData))
        self.x = <real*> place(&self.memory, m.nv, sizeof(real))
        self.y = <real*> place(&self.memory, m.nv, sizeof(real))
        self.A = <real*> place(&self.memory, max(m.nv, 6) * <size_t> m.nv, sizeof(real))
        self.B = <real*> place(&self.memory, m.nv * <size_t> m.nv, sizeof(real))

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
             double[:, ::1] out not None):
        """A task on a row for each state: q (n, nq), v (n, nv) or None, x (n, nv) or None, out (n, nv) or (n, nv^2).

        Returns
        -------
        done : int
            n, or the first of a group of rows one of which holds a quaternion that is not of unit length.
        """
        cdef const CModel* m = self.use()
        cdef int which = TASKS.index(task)
        cdef Py_ssize_t n = q.shape[0], done = 0, size = m.nv if which < MASS_MATRIX else m.nv * <Py_ssize_t> m.nv
        if q.shape[1] != m.nq or out.shape[0] != n or out.shape[1] != size:
            raise StateError(f"q must have shape (n, {m.nq}) and out (n, {size})")
        if (v is not None and (v.shape[0] != n or v.shape[1] != m.nv)
                or x is not None and (x.shape[0] != n or x.shape[1] != m.nv)):
            raise StateError(f"v and x must have shape ({n}, {m.nv})")
        if m.nv == 0 or n == 0:
            return n
        with nogil:
            while done < n:
                self.d.stage = 0
                gather(&q[done, 0], m.nq, n - done, self.d.q)
                if not make_unit(m, self.d.q):
                    break
                memset(self.d.v, 0, m.nv * sizeof(real))
                memset(self.x, 0, m.nv * sizeof(real))
                if v is not None:
                    gather(&v[done, 0], m.nv, n - done, self.d.v)
                if x is not None:
                    gather(&x[done, 0], m.nv, n - done, self.x)
                scatter(self.computed(which), size, n - done, &out[done, 0])
                done += LANE_COUNT
        return min(done, n)

    cdef const real* computed(self, int which) noexcept nogil:
        """The result of a task on what is in d.q, d.v and x."""
        cdef const CModel* m = self.m
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
