"""The kernels on 1 state at once, and what a state that the others would not do comes to."""

include "lanes.pxi"

from libc.math cimport isfinite

from rbdyn.kernels.singular cimport NOT_SINGULAR, singular, singular_pivot


cdef class One(Lanes):
    """A single state, looked at closely."""

    def row(self, str task not None, const double[::1] q not None, const double[::1] v, const double[::1] x,
            double[::1] out not None, const double[:, ::1] spots=None):
        """A task on a state whose quaternions are of unit length, or near.

        Returns
        -------
        place : tuple of int
            () if `out` holds the result; (body, degree of freedom) that moves no inertia; (k,): out[k] is not finite.
        """
        cdef const CModel* m = self.use()
        cdef CData* d = self.d
        cdef int which = TASKS.index(task), i = m.nb - 1, j = 0, pivot
        cdef const double* result
        cdef Py_ssize_t k, n_spots = 0 if spots is None else spots.shape[0]
        cdef Spot spot
        if q.shape[0] != m.nq or out.shape[0] != size_of(m, which, n_spots):
            raise StateError("q and out must be of the sizes of a row")
        self.check_spots(which, spots, n_spots)
        d.stage = 0
        memcpy(d.q, &q[0], m.nq * sizeof(double))
        make_unit(m, d.q)
        memset(d.v, 0, m.nv * sizeof(double))
        memset(self.x, 0, m.nv * sizeof(double))
        if v is not None:
            memcpy(d.v, &v[0], m.nv * sizeof(double))
        if x is not None:
            memcpy(self.x, &x[0], m.nv * sizeof(double))
        self.take_more(which)
        for k in range(n_spots if which == FRAME_POSES else 0):
            spot = spot_of(&spots[k, 0])
            poses(m, d)
            write_pose(d, &spot, &out[16 * k])
        if which != FRAME_POSES:
            if n_spots:
                spot = spot_of(&spots[0, 0])
            result = self.computed(which, &spot)
            memcpy(&out[0], result, out.shape[0] * sizeof(double))
        if which == FORWARD_DYNAMICS and singular(m, d, &i, &j):
            return i, j
        if which == INVERSE_MASS_MATRIX or which == FORWARD_DYNAMICS_DERIVATIVES:
            pivot = singular_pivot(m, d, self.A, which == FORWARD_DYNAMICS_DERIVATIVES)
            if pivot != NOT_SINGULAR:
                while m.vi[i] > pivot:
                    i -= 1
                return i, pivot - m.vi[i]
        for k in range(out.shape[0]):
            if not isfinite(out[k]):
                return (k,)
        return ()
