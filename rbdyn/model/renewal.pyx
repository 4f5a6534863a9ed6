"""A Model that takes over the numbers of another one of the same mechanism, edited in its parameters since.

Whose State looks at them sees the new ones: `State.use` forgets what it had computed.
"""

import numpy as np

cimport numpy as cnp
from libc.string cimport memcmp, memcpy

from rbdyn.model._model cimport CLoop
from rbdyn.model.model cimport Model, Placement
from rbdyn.spatial._algebra cimport Mat3, Vec3
from rbdyn.spatial.constants cimport Xformd


cdef bint same_layout(Model model, Model fresh) except -1:
    """Whether the arrays of both have the same sizes and mean the same."""
    return (fresh.structure == model.structure and fresh.c.nb == model.c.nb and fresh.c.nq == model.c.nq
            and fresh.c.nv == model.c.nv and fresh.c.nc == model.c.nc and fresh.c.nr == model.c.nr)


cdef bint same_places(Model model, Model fresh) except -1:
    """Whether all joints and bodies are where they were in one another at every q."""
    cdef Placement a, b
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
        a, b = model.find(body), fresh.find(body)
        if memcmp(&a.R, &b.R, sizeof(Mat3)) != 0 or memcmp(&a.p, &b.p, sizeof(Vec3)) != 0:
            return False
    return True


cdef int take_over(Model model, Model fresh) except -1:
    """Take over all numbers of a Model of the same layout; who has the address of `model.c` sees them."""
    if not same_places(model, fresh):
        model.renewed += 1
    memcpy(model.c.memory.first, fresh.c.memory.first, model.c.memory.used)
    model.c.gravity, model.c.mass, model.c.trace = fresh.c.gravity, fresh.c.mass, fresh.c.trace
    model.placements, model.body_placements = fresh.placements, fresh.body_placements
    model.parts, model.sums = fresh.parts, {}
    model._arrays = fresh._arrays
    model.revision = fresh.revision
    return 0


cdef int put_array(Model model, str name, object place, object value) except -1:
    """Numbers of one joint in what `Model.array(name)` returns; arrays returned before keep theirs."""
    cdef cnp.ndarray a = np.array(model._arrays[name])
    a[place] = value
    a.flags.writeable = False
    model._arrays[name] = a
    return 0
