"""A Model that takes over the numbers of another one of the same mechanism, edited in its parameters since.

Whose State looks at them sees the new ones: `State.use` forgets what it had computed.
"""

import numpy as np

cimport numpy as cnp
from libc.string cimport memcmp, memcpy

from rbdyn.model._model cimport CLoop
from rbdyn.model.model cimport ANY_TURN, Model, Placement
from rbdyn.model.numbers cimport stored3, stored33
from rbdyn.model.pose cimport Pose, compose, inverse, pose_of, turn_of
from rbdyn.model.tree cimport canonical
from rbdyn.spatial._algebra cimport Mat3, Vec3, transpose3
from rbdyn.spatial.constants cimport Xformd


cdef bint same_layout(Model model, Model fresh) except -1:
    """Whether the arrays of both have the same sizes and mean the same."""
    return (fresh.structure == model.structure and fresh.c.nb == model.c.nb and fresh.c.nq == model.c.nq
            and fresh.c.nv == model.c.nv and fresh.c.nc == model.c.nc and fresh.c.nr == model.c.nr)


cdef bint same_places(Model model, Model fresh) except -1:
    """Whether all joints and bodies are where they were in one another at every q."""
    cdef CLoop loop
    cdef int k
    if memcmp(model.c.X_tree, fresh.c.X_tree, model.c.nb * sizeof(Xformd)) != 0:
        return False
    if memcmp(model.c.parameter, fresh.c.parameter, model.c.nb * sizeof(double)) != 0:
        return False
    for k in range(model.c.n_loops):
        loop = model.c.loops[k]
        loop.rotor, loop.rotor_row = fresh.c.loops[k].rotor, fresh.c.loops[k].rotor_row
        if memcmp(&loop, fresh.c.loops + k, sizeof(CLoop)) != 0:
            return False
    for body in model.mechanism.bodies:
        if not same_place(model.find(body), fresh.find(body)):
            return False
    return True


cdef bint same_place(Placement a, Placement b) noexcept:
    """Whether a body is in the same place of the frame that carries it: to the bit."""
    return memcmp(&a.R, &b.R, sizeof(Mat3)) == 0 and memcmp(&a.p, &b.p, sizeof(Vec3)) == 0


cdef int take_over(Model model, Model fresh) except -1:
    """Take over all numbers of a Model of the same layout; who has the address of `model.c` sees them."""
    if not same_places(model, fresh):
        model.renewed += 1
    memcpy(model.c.memory.first, fresh.c.memory.first, model.c.memory.used)
    model.c.gravity, model.c.mass, model.c.trace = fresh.c.gravity, fresh.c.mass, fresh.c.trace
    model.placements, model.body_placements = fresh.placements, fresh.body_placements
    model.parts, model.sums = fresh.parts, {}
    model._arrays = fresh._arrays
    return 0


cdef int put_joint_pose(Model model, object joint, object edge) except -1:
    """Where a joint of the tree that moves is on its predecessor: the numbers that a compilation would write."""
    cdef Placement host = model.placements[edge.predecessor], old = model.placements[joint.frame_before]
    cdef Placement new = Placement.__new__(Placement)
    cdef Pose here, tree_pose
    cdef int i = model.joint_index[joint.name] + model.base
    here.R, here.p, here.plain = host.R, host.p, host.turn != ANY_TURN
    here = compose(here, pose_of(edge.joint_pose))
    tree_pose = compose(here, inverse(canonical(joint.joint_type)))
    model.c.X_tree[i].E, model.c.X_tree[i].r = stored33(transpose3(tree_pose.R)), stored3(tree_pose.p)
    new.body, new.R, new.p, new.turn = host.body, here.R, here.p, turn_of(here)
    new.shifted = bool(new.p.x or new.p.y or new.p.z)
    placements = dict(model.placements)              # a new one: snapshots keep the old
    for key in (joint.frame_before.name, joint.frame_before):
        if placements.get(key) is old:
            placements[key] = new
    model.placements = placements
    model.renewed += 1
    return 0


cdef int put_array(Model model, str name, object place, object value) except -1:
    """Numbers of one joint in what `Model.array(name)` returns; arrays returned before keep theirs."""
    cdef cnp.ndarray a = np.array(model._arrays[name])
    a[place] = value
    a.flags.writeable = False
    model._arrays[name] = a
    return 0
