"""Constraints between objects stay where they hang on a body, when the frame moves in which a step knows it."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.string cimport memcmp, memcpy

from rbdyn.model.model cimport Placement
from rbdyn.spatial._algebra cimport Mat3, add3, eye3, matmul3, mul3, sub3, tmul3, transpose3
from rbdyn.stepping.constraints.bodies.joints cimport BodyFrame
from rbdyn.stepping.constraints.joints.couplings cimport CouplingTerm
from rbdyn.stepping.links cimport Anchor
from rbdyn.world.constraints.body_joint cimport BodyJoint
from rbdyn.world.constraints.constraint cimport Constraint
from rbdyn.world.constraints.coupling cimport Coupling
from rbdyn.world.constraints.end cimport End
from rbdyn.world.constraints.wire cimport Wire


cdef int check_ends(Registry registry, ArticulatedSystem robot, Model fresh) except -1:
    """Error if something hangs on what cannot be found any more."""
    cdef Constraint constraint
    cdef End end
    for constraint in registry.constraints.values():
        for end in constraint.held:
            if end.obj is robot:
                fresh.find(robot.known(end.body))
    return 0


cdef int move_ends(Registry registry, ArticulatedSystem robot, Model fresh) except -1:
    """Of a robot whose internal frames will be those of `fresh`."""
    cdef Constraint constraint
    cdef End end
    cdef Placement place
    cdef list found = [(constraint, k, end, fresh.find(robot.known((<End> end).body)))
                       for constraint in registry.constraints.values()
                       for k, end in enumerate((<Constraint> constraint).held) if (<End> end).obj is robot]
    for constraint, k, end, place in found:              # nothing here runs code in Python
        move_end(constraint, k, end, place.R, place.p)
        end.R, end.p = place.R, place.p
    return 0


cdef int shift_ends(Registry registry, WorldObject body, Vec3 shift) except -1:
    """Of a single body whose points are moved by `shift` in its frame."""
    cdef Constraint constraint
    cdef End end
    for constraint in registry.constraints.values():
        for k, end in enumerate(constraint.held):
            if end.obj is body:
                move_end(constraint, k, end, eye3(), add3(end.p, shift))
    return 0


cdef int move_end(Constraint constraint, int k, End end, Mat3 R, Vec3 p) except -1:
    """Where it hangs on its k-th end, whose frame goes to R, p."""
    cdef BodyFrame* f
    cdef Vec3* at
    if memcmp(&R, &end.R, sizeof(Mat3)) == 0 and memcmp(&p, &end.p, sizeof(Vec3)) == 0:
        return 0                                     # to the bit
    if isinstance(constraint, Wire):
        at = &(<Wire> constraint).wire.anchor[k].at
        at[0] = add3(p, mul3(R, tmul3(end.R, sub3(at[0], end.p))))
    elif isinstance(constraint, BodyJoint):
        f = &(<BodyJoint> constraint).c.before if k == 0 else &(<BodyJoint> constraint).c.after
        f.p = add3(p, mul3(R, tmul3(end.R, sub3(f.p, end.p))))
        f.R = matmul3(R, matmul3(transpose3(end.R), f.R))
    return 0


# ---- in snapshots ------------------------------------------------------------------------------

cdef bytes raw(const void* data, size_t size):
    return PyBytes_FromStringAndSize(<const char*> data, size)


cdef int write(void* data, bytes noted) except -1:
    memcpy(data, PyBytes_AS_STRING(noted), PyBytes_GET_SIZE(noted))
    return 0


cdef tuple note_of_ends(Constraint constraint):
    """Where a constraint hangs: its ends, the body handles that it has of them, and what else its kind knows."""
    cdef End end
    cdef Wire wire
    cdef BodyJoint joint
    cdef Coupling coupling
    ends = [(end, raw(&end.R, sizeof(Mat3)), raw(&end.p, sizeof(Vec3))) for end in constraint.held]
    bodies = raw(constraint.link.body, constraint.link.n_bodies * sizeof(int))
    if isinstance(constraint, Wire):
        wire = constraint
        return constraint.held, ends, bodies, raw(wire.wire.anchor, wire.wire.n * sizeof(Anchor))
    if isinstance(constraint, BodyJoint):
        joint = constraint
        frames = raw(&joint.c.before, sizeof(BodyFrame)), raw(&joint.c.after, sizeof(BodyFrame))
        return constraint.held, ends, bodies, frames
    coupling = constraint
    terms = raw(coupling.c.term, coupling.c.n * sizeof(CouplingTerm))
    return constraint.held, ends, bodies, (coupling.coefficients, terms, coupling.link.holds)


cdef int put_back_ends(Constraint constraint, tuple note) except -1:
    """All of it as it was."""
    cdef End end
    cdef BodyJoint joint
    cdef Coupling coupling
    constraint.held, ends, bodies, own = note
    for end, R, p in ends:
        write(&end.R, R)
        write(&end.p, p)
    write(constraint.link.body, bodies)
    if isinstance(constraint, Wire):
        write((<Wire> constraint).wire.anchor, own)
    elif isinstance(constraint, BodyJoint):
        joint = constraint
        before, after = own
        write(&joint.c.before, before)
        write(&joint.c.after, after)
    else:
        coupling = constraint
        coupling.coefficients, terms, coupling.link.holds = own
        write(coupling.c.term, terms)
    return 0
