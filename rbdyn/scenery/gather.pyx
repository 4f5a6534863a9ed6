"""Poses of the bodies of a World, all at once."""

from rbdyn.errors import RemovedError

cimport numpy as cnp

from rbdyn.arguments.arrays cimport data
from rbdyn.collision._types cimport Pose
from rbdyn.model.model cimport Model, Placement
from rbdyn.spatial._algebra cimport Mat3, Vec3, add3, matmul3, mul3, rows3, vec3
from rbdyn.stepping.scene cimport Scene
from rbdyn.stepping.phases cimport kinematics
from rbdyn.world.edits.renewal cimport catch_up
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.objects.single_body cimport SingleBody
from rbdyn.world.registry.registry cimport Registry
from rbdyn.world.world cimport World


cdef int ready(World world) except -1:
    """BusyError if the World may not be read; edits of mechanisms are taken in when that may be."""
    cdef Registry registry
    world.check()
    registry = world.registry
    registry.lock.check_readable()
    if not (registry.lock.observing or registry.lock.half or registry.lock.queries):
        catch_up(registry)
    return 0


def catch_up_with(World world not None):
    """Take in what was edited of the mechanisms of a World's robots, if that may be now."""
    ready(world)


def revision_of(World world not None):
    """Counts who comes to a World and goes."""
    world.check()
    return world.registry.revision


def internal_body(Model model not None, name):
    """Which internal body holds a body or frame: 0 for the root, 1 for a floating base."""
    cdef Placement place = model.find(name)
    return place.body


def carrier_poses(World world not None, objects, cnp.ndarray inner not None, cnp.ndarray rest not None,
                  cnp.ndarray out not None):
    """Write world poses (n, 4, 4): of each object, of its internal body `inner`, of the pose `rest` on that.

    `objects` is a list of n objects of the World, `inner` (n,) of int32, `rest` and `out` (n, 4, 4), contiguous.
    """
    cdef Registry registry = world.registry
    cdef Scene* s
    cdef WorldObject obj
    cdef const int* k = <const int*> cnp.PyArray_DATA(inner)
    cdef Py_ssize_t i, n = len(objects)
    cdef int handle
    ready(world)
    s = &registry.memory.scene
    kinematics(s)
    for i in range(n):
        obj = objects[i]
        if obj.lock is not registry.lock:
            raise RemovedError(f"{obj!r} is not in this World (any more)")
        if isinstance(obj, SingleBody):
            handle = s.single[obj.index].handle
        else:
            handle = s.system[obj.index].handle + k[i]
        put(s.pose + handle, data(rest) + 16 * i, data(out) + 16 * i)


cdef void put(const Pose* X, const double* local, double* out) noexcept nogil:
    """out = X local, both homogeneous (4, 4)."""
    cdef Mat3 R = matmul3(X.R, rows3(vec3(local[0], local[1], local[2]), vec3(local[4], local[5], local[6]),
                                     vec3(local[8], local[9], local[10])))
    cdef Vec3 p = add3(X.p, mul3(X.R, vec3(local[3], local[7], local[11])))
    out[0], out[1], out[2], out[3] = R.xx, R.xy, R.xz, p.x
    out[4], out[5], out[6], out[7] = R.yx, R.yy, R.yz, p.y
    out[8], out[9], out[10], out[11] = R.zx, R.zy, R.zz, p.z
    out[12], out[13], out[14], out[15] = 0.0, 0.0, 0.0, 1.0
