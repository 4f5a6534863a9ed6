"""One joint alone, and every kernel of dispatch.pxd on it, as arrays: for completeness.py."""

import numpy as np

from rbdyn.memory cimport close_arena
from rbdyn.model._model cimport CData, CModel, allocate_data, allocate_model, free_model
from rbdyn.model.joints.dispatch cimport (
    LoopRows, add_joint_motion, allowed_directions, difference_joint, integrate_joint, joint_bias, joint_column_rates,
    joint_columns_from, joint_force, joint_inertia, joint_motion, joint_transform, joint_turn, loop_joint_coordinate,
    loop_rotation_error, loop_rows, momentum_column, row_force, row_motion, row_rate, translations,
)
from rbdyn.spatial._algebra cimport Force, Inertia, Mat3, Motion, Vec3, articulated, force, motion, sym3, vec3
from rbdyn.spatial.constants cimport Mat3d, Vec3d

cdef enum:
    JOINT = 2                 # the body whose joint it is: on body 1, as joints on the root may be treated apart


cdef Vec3 vector(a):
    return vec3(a[0], a[1], a[2])


cdef Mat3d matrix(A):
    cdef Mat3d M
    M.xx, M.xy, M.xz = A[0]
    M.yx, M.yy, M.yz = A[1]
    M.zx, M.zy, M.zz = A[2]
    return M


cdef Motion motion_of(a):
    return motion(vector(a[:3]), vector(a[3:]))


cdef list of_motion(Motion a):
    return [a.w.x, a.w.y, a.w.z, a.v.x, a.v.y, a.v.z]


cdef list of_force(Force f):
    return [f.n.x, f.n.y, f.n.z, f.f.x, f.f.y, f.f.z]


cdef Mat3 axes(A):
    cdef Mat3 M
    M.xx, M.xy, M.xz = A[0]
    M.yx, M.yy, M.yz = A[1]
    M.zx, M.zy, M.zz = A[2]
    return M


cdef class JointBench:
    """A joint of one type in its kernel axes.

    Parameters
    ----------
    joint_type : JointType
        Its kernel numbers are taken.
    tree : (4, 4) ndarray
        Pose of the before-frame in the parent: rotation and translation.
    """

    cdef CModel m
    cdef CData d
    cdef int nq, nv

    def __cinit__(self, joint_type, tree):
        cdef int i
        self.nq, self.nv = joint_type.num_positions, joint_type.num_velocities
        allocate_model(&self.m, 3, self.nq, self.nv, 0)
        for i in range(3):
            self.m.parent[i] = max(0, i - 1)
        self.m.kind[JOINT], self.m.representation[JOINT] = joint_type.kernel_kind, joint_type.representation
        self.m.parameter[JOINT], self.m.nvi[JOINT] = joint_type.kernel_parameter, self.nv
        self.m.X_tree[JOINT].E = matrix(tree[:3, :3].T)
        self.m.X_tree[JOINT].r.x, self.m.X_tree[JOINT].r.y, self.m.X_tree[JOINT].r.z = tree[:3, 3]
        allocate_data(&self.d, &self.m)

    def __dealloc__(self):
        free_model(&self.m)
        close_arena(&self.d.memory)

    def put(self, q, v):
        """Set q and v, and compute the transform."""
        cdef int k
        for k in range(self.nq):
            self.d.q[k] = q[k]
        for k in range(self.nv):
            self.d.v[k] = v[k]
        joint_transform(&self.m, &self.d, JOINT)

    def transform(self):
        """E and r."""
        cdef Mat3 E = self.d.X[JOINT].E
        cdef Vec3 r = self.d.X[JOINT].r
        return np.array([[E.xx, E.xy, E.xz], [E.yx, E.yy, E.yz], [E.zx, E.zy, E.zz]]), np.array([r.x, r.y, r.z])

    def motion(self, x, start=None):
        """S x, or `start` and S x added to it."""
        cdef double[6] y
        cdef int k
        for k in range(self.nv):
            y[k] = x[k]
        if start is None:
            return np.array(of_motion(joint_motion(&self.m, &self.d, JOINT, y)))
        return np.array(of_motion(add_joint_motion(&self.m, &self.d, JOINT, y, motion_of(start))))

    def bias(self, velocity):
        """Acceleration that velocities alone give."""
        return np.array(of_motion(joint_bias(&self.m, &self.d, JOINT, motion_of(velocity))))

    def force(self, f):
        """S^T f."""
        cdef double[6] t
        joint_force(&self.m, &self.d, JOINT, force(vector(f[:3]), vector(f[3:])), t)
        return np.array([t[k] for k in range(self.nv)])

    def columns(self, E):
        """Columns of S in the axes from which E leads to the body, (6, nv), and how many are translations."""
        cdef Motion[6] S
        n = joint_columns_from(&self.m, &self.d, JOINT, axes(E), S)
        return np.array([of_motion(S[k]) for k in range(self.nv)]).T, n

    def column_rates(self, E):
        """Their rates as seen from the before-frame, (6, nv)."""
        cdef Motion[6] S
        if not joint_column_rates(&self.m, &self.d, JOINT, axes(E), S):
            return np.zeros((6, self.nv))
        return np.array([of_motion(S[k]) for k in range(self.nv)]).T

    def inertia(self, double mass, h, I):
        """A S by momentum_column and by joint_inertia, (6, nv) each, and the lower triangle of S^T A S."""
        cdef Inertia A
        cdef Force[6] U
        cdef double[36] D
        cdef int k
        A.m, A.h = mass, vector(h)
        A.I_o = sym3(I[0][0], I[0][1], I[0][2], I[1][1], I[1][2], I[2][2])
        self.d.IA[JOINT] = articulated(A)
        joint_inertia(&self.m, &self.d, JOINT, U, D)
        momenta = np.array([of_force(momentum_column(&self.m, &self.d, JOINT, k, &A)) for k in range(self.nv)]).T
        return (momenta, np.array([of_force(U[k]) for k in range(self.nv)]).T,
                np.array([[D[6 * j + k] if k <= j else 0.0 for k in range(self.nv)] for j in range(self.nv)]))

    def translations(self):
        """How many degrees of freedom are translations."""
        return translations(&self.m, JOINT)

    def turn(self, v):
        """How fast the joint turns."""
        cdef double[6] x
        for k in range(self.nv):
            x[<int> k] = v[k]
        return joint_turn(&self.m, JOINT, x)

    def integrate(self, q, v, double dt):
        """q (+) v dt."""
        cdef double[7] x
        cdef double[6] y
        for k in range(self.nq):
            x[<int> k] = q[k]
        for k in range(self.nv):
            y[<int> k] = v[k]
        integrate_joint(&self.m, JOINT, x, y, dt)
        return np.array([x[<int> k] for k in range(self.nq)])

    def difference(self, a, b):
        """v with a (+) v = b."""
        cdef double[7] x
        cdef double[7] y
        cdef double[6] v
        for k in range(self.nq):
            x[<int> k], y[<int> k] = a[k], b[k]
        difference_joint(&self.m, JOINT, x, y, v)
        return np.array([v[<int> k] for k in range(self.nv)])

    # ---- as a joint outside the tree --------------------------------------------------------------------------------

    cdef LoopRows rows(self, C):
        return loop_rows(self.m.kind[JOINT], self.m.parameter[JOINT], matrix(C))

    def allowed(self):
        """Which of six velocities it allows, as bools."""
        bits = allowed_directions(self.m.kind[JOINT])
        return np.array([bool(bits >> k & 1) for k in range(6)])

    def row_motion(self, C, a):
        """(w, d') as its rows have it."""
        cdef LoopRows rows = self.rows(C)
        return np.array(of_motion(row_motion(&rows, motion_of(a))))

    def row_rate(self, C, v, a):
        """The rate of that."""
        cdef LoopRows rows = self.rows(C)
        return np.array(of_motion(row_rate(&rows, motion_of(v), motion_of(a))))

    def row_force(self, C, f):
        """What multipliers exert."""
        cdef LoopRows rows = self.rows(C)
        return np.array(of_force(row_force(&rows, force(vector(f[:3]), vector(f[3:])))))

    def rotation_error(self, C, double d_z):
        """The rotation vector that its rows see."""
        cdef Vec3d u = loop_rotation_error(self.m.kind[JOINT], self.m.parameter[JOINT], matrix(C), d_z)
        return np.array([u.x, u.y, u.z])

    def coordinate(self, C, double d_z):
        """Where it stands."""
        return loop_joint_coordinate(self.m.kind[JOINT], self.m.parameter[JOINT], matrix(C), d_z)
