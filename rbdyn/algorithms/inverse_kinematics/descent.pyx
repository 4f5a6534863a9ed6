"""Descent of the error of targets: damped least squares within limits, and escapes from saddle points.

Levenberg and Marquardt's method on the configuration manifold, the damping after Nielsen's rule.  Its steps vanish
where the gradient J^T e does, in minima and in saddle points: a straight arm whose target lies on its line.  There the
Hessian of |e|^2 / 2 decides.  Where it has a direction of negative curvature, a line search along it goes on.

Joints that follow others (`Mimic`) are no unknowns: they stand where their independent leaders say, and their columns
of the Jacobian are added to those of their leaders.
"""

cimport numpy as cnp

import numpy as np

from rbdyn.algorithms.loops.closure import project_configuration
from rbdyn.errors import LoopError
from rbdyn.model.mimics import check_bounds, independent_leaders, leader_bounds

from libc.math cimport INFINITY, cos, fabs, fmax, fmin, sin, sqrt
from libc.string cimport memcpy, memset

from rbdyn.algorithms.inputs.point cimport in_body, place_of
from rbdyn.arguments.arrays cimport data, vector_in
from rbdyn.kernels.aims cimport Aim, aim_error, aim_jacobian, aim_rows
from rbdyn.kernels.bounded_least_squares cimport LeastSquares, bounded_least_squares, inner, remainder
from rbdyn.kernels.configuration cimport integrate_joints
from rbdyn.kernels.kinematics cimport poses, support
from rbdyn.kernels.loops cimport loop_errors, loop_matrix
from rbdyn.kernels.negative_curvature cimport negative_curvature
from rbdyn.memory cimport Arena, close_arena, open_arena, place
from rbdyn.model._model cimport POSES, CModel
from rbdyn.model.joints.sincos_revolute cimport sincos_revolute_angle
from rbdyn.model.model cimport Model, Placement
from rbdyn.model.state cimport State
from rbdyn.signals cimport Signals, handle_signals, start_signals
from rbdyn.spatial._algebra cimport Mat3, matmul3, rows3, sub3, tmul3, transpose3, vec3

cdef double LARGEST_TURN = 1.0     # [rad] of a joint in one step: beyond it the linear model says nothing
cdef double LOOP_WEIGHT = 1e3      # of a loop's row, next to 1 for a metre or a radian of a target: targets give way
cdef double STATIONARY = 1e-6      # |J^T e| of a stationary point, relative to |J| |e|: the cosine between both, about
cdef double CURVED = 1e-6          # negative curvature, relative to |J|^2, above which a stationary point is no minimum
cdef double NUDGE = 1e-5           # [rad or m] of a joint in a central difference: cube root of the rounding, about
cdef int HALVINGS = 20             # of a step along negative curvature, until it counts as useless

cdef struct Follower:        # q = ratio q_leader + offset, its leader independent
    int q, dof, leader       # indices in q, in v, and in q
    int column               # of its leader among the unknowns, or -1 where it moves no target and no loop
    double ratio, offset
    double low, high         # its own limits, which rounding shall not leave


cdef class Descent:
    """Search for the configuration of a State's model at which the error of targets is smallest.

    Parameters
    ----------
    state : State
        Whose model, and whose root's pose.  It is the search's own from now on.
    targets : sequence of Target
        Where frames shall be.
    limits : bool
        Whether to stay within the joints' position limits.
    """

    cdef object spread           # (k,) indices in q of what differs from start to start
    cdef object limited          # (l,) joints that limits bound, with their places in q; those that move nothing too
    cdef object bounds           # (nq,) limits, those of leaders narrowed by their followers'; None: the model's
    cdef object narrowed         # (index in q, lower, upper) of leaders that start within limits of their followers too
    cdef State state             # at the latest configuration that was looked at
    cdef Arena memory            # of all arrays below
    cdef int n_aims
    cdef Aim* aims               # (n_aims,)
    cdef int n_followers
    cdef Follower* follower      # (n_followers,)
    cdef LeastSquares s          # of the independent degrees of freedom that move a target or a loop
    cdef int* dof                # (n,) index in v
    cdef int* coordinate         # (n,) index in q of the number whose rate it is, or -1
    cdef char* pair              # (n,) that number is the sine of an angle, and the next one its cosine
    cdef double* turn            # (n,) the largest rotation of a joint per unit of it: 1, or 0 of a mere slide
    cdef double* lower           # (n,) limits of that number
    cdef double* upper
    cdef double* weight          # (m,) of rows
    cdef double* q               # (nq,) the best configuration of this descent
    cdef double* e               # (m,) its weighted error
    cdef double* e_next          # (m,) that of the configuration that is tried
    cdef double* gradient        # (n,) J^T e
    cdef double* g_next          # (n,) that at a nudged configuration
    cdef double* step            # (nv,)
    cdef double* K               # (max(6, nc), nv) scratch
    cdef double* H               # (n, n) scratch
    cdef double* y               # (n,) scratch
    cdef double* z               # (n,) direction of negative curvature
    cdef int* order              # (n,) scratch
    cdef int* at                 # (n,) columns that H is about

    def __dealloc__(self):
        close_arena(&self.memory)

    def __init__(self, State state not None, targets, limits):
        cdef CModel* m = state.use()
        cdef int k
        self.state = state
        joints = self.state.model._moving()
        followers, self.bounds, self.narrowed = [], None, []
        for joint in joints:
            if joint.mimic is not None:
                followers = independent_leaders(state.model)
                self._narrow(followers, limits)
                break
        moving = self._moving(joints, followers, targets, limits)
        self.n_followers = len(followers)
        self.n_aims, self.s.n = len(targets), len(moving)
        self.s.m = m.nc
        for target in targets:
            self.s.m += 3 * (target.rotation is not None) + 3 * (target.position is not None)
        self._lay_out(m)
        open_arena(&self.memory)
        self._lay_out(m)
        lower, upper = self._limits()
        for k, (dof, coordinate, pair, turn, ends) in enumerate(moving):
            self.dof[k], self.coordinate[k], self.pair[k], self.turn[k] = dof, coordinate, pair, turn
            self.lower[k], self.upper[k] = -INFINITY, INFINITY
            if limits and coordinate >= 0:
                self.lower[k], self.upper[k] = ends if pair else (lower[coordinate], upper[coordinate])
        columns = {dof: k for k, (dof, *_) in enumerate(moving)} if followers else {}
        for k, (q, dof, leader, leader_dof, ratio, offset) in enumerate(followers):
            self.follower[k] = Follower(q=q, dof=dof, leader=leader, column=columns.get(leader_dof, -1), ratio=ratio,
                                        offset=offset, low=-INFINITY, high=INFINITY)
            if limits:
                self.follower[k].low = state.model.array("lower")[q]
                self.follower[k].high = state.model.array("upper")[q]
        self._aim(targets)

    cdef void _lay_out(self, const CModel* m) noexcept:
        """The places of all arrays."""
        cdef Arena* a = &self.memory
        cdef size_t d = sizeof(double)
        cdef LeastSquares* s = &self.s
        self.aims = <Aim*> place(a, self.n_aims, sizeof(Aim))
        self.dof = <int*> place(a, s.n, sizeof(int))
        self.coordinate = <int*> place(a, s.n, sizeof(int))
        self.order = <int*> place(a, s.n, sizeof(int))
        self.at = <int*> place(a, s.n, sizeof(int))
        self.follower = <Follower*> place(a, self.n_followers, sizeof(Follower))
        self.turn, self.pair = <double*> place(a, s.n, d), <char*> place(a, s.n, 1)
        s.free = <char*> place(a, s.n, 1)
        s.over = <char*> place(a, s.n, 1)
        self.lower, self.upper = <double*> place(a, s.n, d), <double*> place(a, s.n, d)
        self.gradient, self.g_next = <double*> place(a, s.n, d), <double*> place(a, s.n, d)
        self.y, self.z = <double*> place(a, s.n, d), <double*> place(a, s.n, d)
        s.low, s.high, s.d = <double*> place(a, s.n, d), <double*> place(a, s.n, d), <double*> place(a, s.n, d)
        self.weight, s.y, s.r = <double*> place(a, s.m, d), <double*> place(a, s.m, d), <double*> place(a, s.m, d)
        self.e, self.e_next = <double*> place(a, s.m, d), <double*> place(a, s.m, d)
        self.q, self.step = <double*> place(a, m.nq, d), <double*> place(a, m.nv, d)
        self.K = <double*> place(a, max(6, m.nc) * <size_t> m.nv, d)
        self.H = <double*> place(a, s.n * <size_t> s.n, d)
        s.J, s.A = <double*> place(a, s.n * <size_t> s.m, d), <double*> place(a, s.m * <size_t> s.m, d)

    cdef int _narrow(self, followers, bint limits) except -1:
        """Limits and random starts of leaders, narrowed by the limits of their followers."""
        cdef Model model = self.state.model
        lower, upper = self.bounds = leader_bounds(model, followers)
        if limits:
            check_bounds(model, followers, lower, upper)
        leaders = sorted({leader for _, _, leader, _, _, _ in followers})
        self.narrowed = [(q, lower[q], upper[q]) for q in leaders if -INFINITY < lower[q] <= upper[q] < INFINITY]
        return 0

    cdef tuple _limits(self):
        """Lower and upper position limits (nq,) of independent coordinates."""
        return self.bounds or (self.state.model.array("lower"), self.state.model.array("upper"))

    def _moving(self, joints, followers, targets, limits):
        """Independent degrees of freedom that move a target or a loop.

        Each is (index in v, index in q or -1, whether q has sine and cosine there, largest turn, its limits);
        `joints` are those that move, in the order of q.
        """
        cdef const CModel* m = &self.state.model.c
        cdef int i, k, n
        cdef list used = [False] * m.nb
        ends = [place_of(self.state.model, target.body).body for target in targets]
        for n in range(m.n_loops):
            ends += [m.loops[n].predecessor, m.loops[n].successor]
        for i in ends:
            while i > 0 and not used[i]:
                used[i] = True
                i = m.parent[i]
        leader_of = {dof: (leader_dof, ratio) for _, dof, _, leader_dof, ratio, _ in followers}
        led = {}                                             # dof of a leader -> largest turn of a follower per unit
        for i, joint in enumerate(joints, 1):
            if leader_of and used[i] and m.vi[i] in leader_of:
                leader_dof, ratio = leader_of[m.vi[i]]
                turn = 0.0 if joint.joint_type.num_translations else abs(ratio)
                led[leader_dof] = max(turn, led.get(leader_dof, 0.0))
        found, spread, limited = [], [], []
        for i, joint in enumerate(joints, 1):
            kind = joint.joint_type
            if limits and joint.position_limits is not None and kind.has_limits:
                limited.append((joint, slice(m.qi[i], m.qi[i] + kind.num_positions)))
            if not (used[i] or m.vi[i] in led) or m.vi[i] in leader_of:
                continue
            pair = kind.has_limits and not kind.has_coordinates
            found += [(m.vi[i] + k, m.qi[i] + k if k < kind.num_plain or pair else -1, pair,
                       max(float(k >= kind.num_translations), led.get(m.vi[i], 0.0)), joint.limits_of_each[k])
                      for k in range(m.nvi[i])]
            if not 0 < kind.num_translations < kind.num_velocities:          # a base that moves anywhere stays
                spread += range(m.qi[i], m.qi[i] + kind.num_positions)
        self.spread, self.limited = np.array(spread, np.intp), limited
        return found

    cdef int _aim(self, targets) except -1:
        """The targets as C structs, and the weights of their rows."""
        cdef Aim* a = self.aims
        cdef Placement at
        cdef Mat3 R
        cdef int row = 0, k
        for target in targets:
            at = place_of(self.state.model, target.body)
            a.body, a.E = at.body, at.R
            point = target.point
            a.x = in_body(at, vec3(point[0], point[1], point[2]))
            if isinstance(target.body, str) and target.body == "world":      # not the root of that name, but the world
                R = self.state.c.R[0]
                a.E = matmul3(transpose3(R), a.E)
                a.x = tmul3(R, sub3(a.x, self.state.c.p[0]))
            a.turned, a.placed = target.rotation is not None, target.position is not None
            if a.turned:
                T = target.rotation
                a.R = rows3(vec3(T[0, 0], T[0, 1], T[0, 2]), vec3(T[1, 0], T[1, 1], T[1, 2]),
                            vec3(T[2, 0], T[2, 1], T[2, 2]))
            if a.placed:
                a.p = vec3(target.position[0], target.position[1], target.position[2])
            for k in range(aim_rows(a)):
                self.weight[row] = target.weights[1 if a.turned and k < 3 else 0]
                row += 1
            a += 1
        for k in range(row, self.s.m):
            self.weight[k] = LOOP_WEIGHT
        return 0

    # ---- error and Jacobian ------------------------------------------------------------------------------------

    cdef void _place(self) noexcept:
        """Poses of the bodies that are asked about, at the state's q."""
        cdef CModel* m = &self.state.model.c
        self.state.c.stage = 0
        if self.n_aims == 1 and not m.n_loops:
            support(m, &self.state.c, self.aims[0].body, POSES)
        else:
            poses(m, &self.state.c)

    cdef double _error(self, double* e) noexcept:
        """The weighted error at the state's q, and its squared length."""
        cdef int k, row = 0
        self._place()
        for k in range(self.n_aims):
            aim_error(&self.state.c, self.aims + k, e + row)
            row += aim_rows(self.aims + k)
        if row < self.s.m:
            loop_errors(&self.state.model.c, &self.state.c, e + row)
        for k in range(self.s.m):
            e[k] *= self.weight[k] if k < row else -self.weight[k]
        return inner(self.s.m, e, e)

    cdef void _jacobian(self) noexcept:
        """J with J d = what a step d takes off the error, to first order; the state's poses are current."""
        cdef CModel* m = &self.state.model.c
        cdef int k, row = 0
        for k in range(self.n_aims):
            memset(self.K, 0, 6 * <size_t> m.nv * sizeof(double))
            self._gather(aim_jacobian(m, &self.state.c, self.aims + k, self.K), row, aim_rows(self.aims + k))
            row += aim_rows(self.aims + k)
        if row < self.s.m:
            memset(self.K, 0, m.nc * <size_t> m.nv * sizeof(double))
            loop_matrix(m, &self.state.c, self.K)
            self._gather(self.K, row, m.nc)

    cdef void _gather(self, const double* K, int row, int count) noexcept:
        """Put rows of a Jacobian (count, nv) in place, weighted; columns of followers go to their leaders."""
        cdef const Follower* f
        cdef int i, j, nv = self.state.model.c.nv
        for j in range(self.s.n):
            for i in range(count):
                self.s.J[<size_t> self.s.m * j + row + i] = self.weight[row + i] * K[<size_t> nv * i + self.dof[j]]
        for j in range(self.n_followers):
            f = self.follower + j
            if f.column >= 0:
                for i in range(count):
                    self.s.J[<size_t> self.s.m * f.column + row + i] += (
                        f.ratio * self.weight[row + i] * K[<size_t> nv * i + f.dof])

    cdef void _gradient(self, const double* e, double* g) noexcept:
        """g = J^T e, minus the gradient of |e|^2 / 2."""
        cdef int j
        for j in range(self.s.n):
            g[j] = inner(self.s.m, self.s.J + <size_t> self.s.m * j, e)

    cdef double _length(self, const double* e) noexcept:
        """Length of an error without its weights."""
        cdef double s = 0.0
        cdef int k
        for k in range(self.s.m):
            s += (e[k] / self.weight[k]) ** 2
        return sqrt(s)

    # ---- configurations ----------------------------------------------------------------------------------------

    cdef int _move(self, double s, const double* d) except -1:
        """The state's q <- q (+) s d, within the limits, its loops closed."""
        cdef CModel* m = &self.state.model.c
        cdef int j
        memset(self.step, 0, m.nv * sizeof(double))
        for j in range(self.s.n):
            self.step[self.dof[j]] = d[j]
        memcpy(self.state.c.q, self.q, m.nq * sizeof(double))
        integrate_joints(m, self.state.c.q, self.step, s)
        return self._admit()

    cdef double _at(self, int j, const double* q) noexcept:
        """The limited coordinate at q of a degree of freedom that has one [rad or m]."""
        if self.pair[j]:
            return sincos_revolute_angle(q + self.coordinate[j], 0.5 * (self.lower[j] + self.upper[j]))
        return q[self.coordinate[j]]

    cdef void _clip(self, double* q) noexcept:
        """Bring q into the limits."""
        cdef double x, inside
        cdef int j
        for j in range(self.s.n):
            if not self._bounded(j):
                continue
            x = self._at(j, q)
            inside = fmin(fmax(x, self.lower[j]), self.upper[j])
            if self.pair[j] and inside != x:
                q[self.coordinate[j]], q[self.coordinate[j] + 1] = sin(inside), cos(inside)
            elif not self.pair[j]:
                q[self.coordinate[j]] = inside

    cdef bint _bounded(self, int j) noexcept:
        """Test for a degree of freedom with a limit."""
        return self.coordinate[j] >= 0 and (self.lower[j] > -INFINITY or self.upper[j] < INFINITY)

    cdef void _follow(self) noexcept:
        """Put followers of the state's q where their leaders say."""
        cdef double* q = self.state.c.q
        cdef const Follower* f
        cdef int k
        for k in range(self.n_followers):
            f = self.follower + k
            q[f.q] = fmin(fmax(f.ratio * q[f.leader] + f.offset, f.low), f.high)

    cdef double _gap(self) noexcept:
        """Squared length of the error of all loops at the state's q."""
        cdef CModel* m = &self.state.model.c
        self._place()
        loop_errors(m, &self.state.c, self.K)
        return inner(m.nc, self.K, self.K)

    cdef int _admit(self) except -1:
        """Clip the state's q to the limits, put followers in place, and close loops.

        Loops stay as they are where closing them fails or leads out of the limits.  Followers in loops are put back
        where their leaders say, as often as that leaves less than half of the gap: the rest is for the descent.
        """
        cdef CModel* m = &self.state.model.c
        cdef double* q = self.state.c.q
        cdef double* x
        cdef double gap, left
        cdef int j
        self._clip(q)
        self._follow()
        if not m.n_loops:
            return 0
        gap = self._gap() if self.n_followers else 0.0
        while True:
            before = np.array(self.state.q)
            try:
                near = project_configuration(self.state.model, before)
            except LoopError:
                return 0
            x = data(near)
            for j in range(self.s.n):
                if self._bounded(j) and not self.lower[j] <= self._at(j, x) <= self.upper[j]:
                    return 0
            memcpy(q, x, m.nq * sizeof(double))
            if not self.n_followers:
                return 0
            self._follow()
            left = self._gap()
            if not left < gap:
                memcpy(q, data(before), m.nq * sizeof(double))
            if not left < 0.25 * gap:
                return 0
            gap = left

    cdef void _keep(self) noexcept:
        """Take the configuration that was tried as the best one."""
        memcpy(self.q, self.state.c.q, self.state.model.c.nq * sizeof(double))
        memcpy(self.e, self.e_next, self.s.m * sizeof(double))
        self._jacobian()

    cdef void _bound(self) noexcept:
        """How far a step may go."""
        cdef int j
        for j in range(self.s.n):
            self.s.low[j], self.s.high[j] = -INFINITY, INFINITY
            if self._bounded(j):
                self.s.low[j] = self.lower[j] - self._at(j, self.q)
                self.s.high[j] = self.upper[j] - self._at(j, self.q)

    cdef double _largest_turn(self, const double* d) noexcept:
        """The largest rotation of a joint in a step [rad]."""
        cdef double most = 0.0
        cdef int j
        for j in range(self.s.n):
            most = fmax(most, self.turn[j] * fabs(d[j]))
        return most

    # ---- stationary points -------------------------------------------------------------------------------------

    cdef bint _held(self, int j, double least) noexcept:
        """Test for a joint at a limit whose gradient points beyond it by more than `least`."""
        return (self.s.high[j] <= 0.0 and self.gradient[j] > least) or (
            self.s.low[j] >= 0.0 and self.gradient[j] < -least)

    cdef double _size(self) noexcept:
        """|J|, Frobenius' norm."""
        return sqrt(inner(self.s.m * self.s.n, self.s.J, self.s.J))

    cdef bint _is_stationary(self) noexcept:
        """Test that the error is stationary, to first order, in the joints that may move."""
        cdef double least = STATIONARY * self._size() * sqrt(inner(self.s.m, self.e, self.e)), slope = 0.0
        cdef int j
        self._gradient(self.e, self.gradient)
        for j in range(self.s.n):
            if not self._held(j, 0.0):
                slope += self.gradient[j] * self.gradient[j]
        return slope <= least * least

    cdef int _hessian(self, double least) except -1:
        """H of |e|^2 / 2 at q, of the joints that are not held: central differences of its gradient; their number.

        The mean of H and its transpose is the Hessian along geodesics of the joints: where velocities are not rates of
        coordinates, the two differ.
        """
        cdef Signals signals = start_signals()
        cdef int n = 0, i, j, k
        for j in range(self.s.n):
            if not self._held(j, least):
                self.at[n] = j
                n += 1
        for k in range(n):
            handle_signals(&signals, 2 * n)
            for i in range(2):
                memcpy(self.state.c.q, self.q, self.state.model.c.nq * sizeof(double))
                memset(self.step, 0, self.state.model.c.nv * sizeof(double))
                self.step[self.dof[self.at[k]]] = NUDGE if i == 0 else -NUDGE
                integrate_joints(&self.state.model.c, self.state.c.q, self.step, 1.0)
                self._follow()
                self._error(self.e_next)
                self._jacobian()
                self._gradient(self.e_next, self.g_next)
                for j in range(n):
                    if i == 0:
                        self.H[n * j + k] = -self.g_next[self.at[j]]
                    else:
                        self.H[n * j + k] = (self.H[n * j + k] + self.g_next[self.at[j]]) / (2.0 * NUDGE)
        for k in range(n):
            for j in range(k):
                self.H[n * j + k] = self.H[n * k + j] = 0.5 * (self.H[n * j + k] + self.H[n * k + j])
        return n

    cdef bint _escape(self, double cost) except -1:
        """Leave a saddle point along negative curvature; False, and all as it was, where there is none."""
        cdef double size = self._size(), curvature, s, there, back
        cdef int n, k, _k
        n = self._hessian(STATIONARY * size * sqrt(cost))
        curvature = negative_curvature(n, self.H, self.order, CURVED * size * size, self.y, self.s.d)
        if curvature < 0.0:
            memset(self.z, 0, self.s.n * sizeof(double))
            for k in range(n):
                self.z[self.at[k]] = self.s.d[k]
            s = LARGEST_TURN / fmax(self._largest_turn(self.z), 1e-100)
            for _k in range(HALVINGS):
                self._move(-s, self.z)
                back = self._error(self.e_next)
                self._move(s, self.z)
                there = self._error(self.e_next)
                if back < there:
                    self._move(-s, self.z)
                    there = self._error(self.e_next)
                if cost - there >= -0.5 * curvature * s * s:      # half of what the curvature promises
                    self._keep()
                    return True
                s *= 0.5
        memcpy(self.state.c.q, self.q, self.state.model.c.nq * sizeof(double))
        self._error(self.e_next)
        self._jacobian()
        return False

    # ---- the descent -------------------------------------------------------------------------------------------

    def start(self, q):
        """A configuration of the State, checked, with quaternions of unit length, within the limits, loops closed.

        Parameters
        ----------
        q : (nq,) array_like of float
            [rad or m].

        Returns
        -------
        q : (nq,) ndarray of float64
        """
        new = np.array(q)
        for joint, part in self.limited:
            x = joint.joint_type.coordinates(new[part], joint.limits_of_each)
            lower, upper = np.transpose(joint.limits_of_each)
            if (x < lower).any() or (x > upper).any():
                new[part] = joint.joint_type.from_coordinates(np.clip(x, lower, upper))
        if self.bounds is not None:                          # those of leaders are narrower
            lower, upper = self.bounds
            for joint, part in self.limited:
                if joint.joint_type.has_coordinates:
                    new[part] = np.clip(new[part], lower[part], upper[part])
        self.state.set(new)
        self._admit()
        return np.array(self.state.q)

    def scattered(self, q, rng):
        """Another configuration to start from.

        Parameters
        ----------
        q : (nq,) array_like of float
            Where joints stay that move no target, and floating and planar ones, which have no limits.
        rng : numpy.random.Generator
            Source of all chance.
        """
        new = np.array(q)
        new[self.spread] = self.state.model.random(rng)[self.spread]
        for q, lower, upper in self.narrowed:
            new[q] = rng.uniform(lower, upper)
        return self.start(new)

    def cost(self, q):
        """Squared length of the weighted error at q.

        Parameters
        ----------
        q : (nq,) array_like of float
            [rad or m].
        """
        self.state.set(q)
        return self._error(self.e_next)

    cdef double _gain(self, double cost, double cost_next) noexcept:
        """Decrease of the squared error by a step, relative to that of the linear model; -1 for a bad step."""
        cdef double got = cost - cost_next, promised
        remainder(&self.s, self.e, False, self.s.r)
        promised = cost - inner(self.s.m, self.s.r, self.s.r)
        return got / promised if got > 0.0 and promised > 0.0 else -1.0

    cdef double _step(self, double mu) noexcept:
        """The damped step within the limits; returns its length."""
        cdef double s
        cdef int j
        bounded_least_squares(&self.s, mu, self.e)
        s = fmin(1.0, LARGEST_TURN / fmax(self._largest_turn(self.s.d), 1e-100))
        for j in range(self.s.n):
            self.s.d[j] *= s
        return sqrt(inner(self.s.n, self.s.d, self.s.d))

    def run(self, q, double damping, double step_tol, long max_iter):
        """Steps from q until the error or the step vanishes.

        Parameters
        ----------
        q : (nq,) array_like of float
            Where to start, as `start` returns it.
        damping : float
            That of the first step.
        step_tol : float
            Stop when the step [rad, m] or the error is no longer than this.
        max_iter : int
            Largest number of steps to try.

        Returns
        -------
        q : (nq,) ndarray of float64
            The best configuration.
        residual : float
            Length of its error, weights left out [m and rad].
        steps : int
            How many were tried.
        """
        cdef CModel* m = self.state.use()
        cdef Signals signals = start_signals()
        cdef cnp.ndarray found = vector_in(q, m.nq, "q").copy()
        cdef double mu = damping * damping, growth = 2.0, gain, cost, cost_next
        cdef long tried = 0
        cdef bint minimum = False            # near a stationary point without negative curvature
        memcpy(self.state.c.q, data(found), m.nq * sizeof(double))
        cost = self._error(self.e_next)
        self._keep()
        while tried < max_iter and self._length(self.e) > step_tol:
            handle_signals(&signals, m.nb)
            self.state.use()                                 # a handler can edit the mechanism
            tried += 1
            self._bound()
            if not self._is_stationary():
                minimum = False
            elif not minimum:
                minimum = not self._escape(cost)
                if not minimum:
                    cost, mu, growth = inner(self.s.m, self.e, self.e), damping * damping, 2.0
                    continue
            if self._step(mu) <= step_tol:
                break
            self._move(1.0, self.s.d)
            cost_next = self._error(self.e_next)
            gain = self._gain(cost, cost_next)
            if gain > 0.0:
                self._keep()
                cost = cost_next
                mu *= fmax(0.1, 1.0 - (2.0 * fmin(gain, 1.0) - 1.0) ** 3)
                growth = 2.0
            else:
                mu = fmax(mu, damping * damping) * growth
                growth *= 2.0
        memcpy(data(found), self.q, m.nq * sizeof(double))
        return found, self._length(self.e), tried
