# Forward kinematics: joint transforms, world poses, velocities.  Each is a stage of a State (model/_model.pxd).

from rbdyn.model._model cimport POSES, TRANSFORMS, VELOCITIES, CData, CModel
from rbdyn.model.joints.dispatch cimport add_joint_motion, joint_bias, joint_motion, joint_transform
from rbdyn.spatial._algebra cimport Motion, add3, add_m, apply_m, matmul3, motion, mul3, transpose3, zero_m

cdef inline void transforms(const CModel* m, CData* d) noexcept nogil:
    """X[i] of every joint."""
    cdef int i
    if d.stage & TRANSFORMS:
        return
    for i in range(1, m.nb):
        joint_transform(m, d, i)
    d.stage |= TRANSFORMS

cdef inline void place_body(const CModel* m, CData* d, int i) noexcept nogil:
    """R[i], p[i] of those of the parent."""
    cdef int p = m.parent[i]
    d.R[i] = matmul3(d.R[p], transpose3(d.X[i].E))
    d.p[i] = add3(d.p[p], mul3(d.R[p], d.X[i].r))

cdef inline void poses(const CModel* m, CData* d) noexcept nogil:
    """R[i], p[i]: where every body is in the world."""
    cdef int k
    if d.stage & POSES:
        return
    transforms(m, d)
    for k in range(1, m.nb):
        place_body(m, d, m.order[k])
    d.stage |= POSES

cdef inline Motion propagated_acceleration(const CModel* m, const CData* d, int i) noexcept nogil:
    """X_i a_p + c_i; the root's acceleration -g is a translation, so that its transform is one rotation."""
    if m.parent[i]:
        return add_m(apply_m(d.X[i], d.a[m.parent[i]]), d.c[i])
    return motion(d.c[i].w, add3(mul3(d.X[i].E, d.a[0].v), d.c[i].v))

cdef inline void move_body(const CModel* m, CData* d, int i) noexcept nogil:
    """vel[i], c[i] of the parent's velocity.  RBDA eqs. 7.11 to 7.13."""
    if m.parent[i]:
        d.vel[i] = add_joint_motion(m, d, i, d.v + m.vi[i], apply_m(d.X[i], d.vel[m.parent[i]]))
    else:
        d.vel[i] = joint_motion(m, d, i, d.v + m.vi[i])
    d.c[i] = joint_bias(m, d, i, d.vel[i])

cdef inline void velocities(const CModel* m, CData* d) noexcept nogil:
    """vel[i], c[i]: velocity and velocity-product acceleration of every body."""
    cdef int k
    if d.stage & VELOCITIES:
        return
    transforms(m, d)
    d.vel[0] = zero_m()
    d.c[0] = zero_m()
    for k in range(1, m.nb):
        move_body(m, d, m.order[k])
    d.stage |= VELOCITIES

cdef inline int path_to(const CModel* m, CData* d, int body) noexcept nogil:
    """d.path = the bodies from `body` to the last one below the root; returns how many."""
    cdef int i = body, n = 0
    while i > 0:
        d.path[n] = i
        n += 1
        i = m.parent[i]
    return n

cdef inline void support(const CModel* m, CData* d, int body, int wanted) noexcept nogil:
    """The stages `wanted` (POSES, VELOCITIES or both) of the bodies between the root and `body` only.

    The same bits as from `poses` and `velocities`; the State does not count as having reached the stages by that.
    """
    cdef int i, n, missing = wanted & ~d.stage
    if not missing:
        return
    if missing & VELOCITIES:
        d.vel[0] = zero_m()
        d.c[0] = zero_m()
    n = path_to(m, d, body)
    while n > 0:
        n -= 1
        i = d.path[n]
        if not d.stage & TRANSFORMS:
            joint_transform(m, d, i)
        if missing & POSES:
            place_body(m, d, i)
        if missing & VELOCITIES:
            move_body(m, d, i)
