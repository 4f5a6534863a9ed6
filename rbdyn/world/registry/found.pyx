"""What a step found, in the names of its World: contacts, and who diverged."""

import math

import numpy as np

from rbdyn.world.objects.contact import Contact

from rbdyn.arguments.arrays cimport read_only
from rbdyn.collision._types cimport ContactPoint
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.spatial._algebra cimport Vec3, vec3
from rbdyn.stepping.assemble cimport CONTACTS
from rbdyn.stepping.constraints.contact.contacts cimport cone_impulse
from rbdyn.stepping.scene cimport SINGLE_BODY, WORLD_BODY, BodyHandle
from rbdyn.stepping.sleeping cimport Slumber, is_asleep
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.object cimport WorldObject


cdef object array_of(Vec3 a):
    return read_only(np.array([a.x, a.y, a.z]))


cdef bint stands(Registry registry, const ContactPoint* c, long detection) except -1:
    """Whether the objects of a contact are still there, and where they were."""
    cdef WorldObject obj
    for shape_id in (c.shape_a, c.shape_b):
        if shape_id not in registry.shapes:
            return False
        obj = registry.shapes[shape_id][0]
        if obj.moved_at == detection:
            return False
    return True


cdef bint is_on(Registry registry, int shape_id, WorldObject on, object link, object body) except -1:
    """Whether a shape is one of an object's; of one of its links, or bodies, if one is named."""
    shape = registry.shapes[shape_id]
    return shape[0] is on and (link is None or shape[3] == link) and (body is None or shape[1] == body)


cdef bint is_asked(Registry registry, const ContactPoint* c, long detection, WorldObject on, object link,
                   object body) except -1:
    """Whether a contact still stands, and is one of those that are asked for."""
    if not stands(registry, c, detection):
        return False
    return on is None or is_on(registry, c.shape_a, on, link, body) or is_on(registry, c.shape_b, on, link, body)


cdef object contact_of(Registry registry, const ContactPoint* c, Vec3 impulse):
    a, body_a, geometry_a, link_a = registry.shapes[c.shape_a]
    b, body_b, geometry_b, link_b = registry.shapes[c.shape_b]
    return Contact(a, b, body_a, body_b, geometry_a, geometry_b, array_of(c.position), array_of(c.normal),
                   c.depth, array_of(impulse), registry.memory.scene.dt, link_a, link_b)


cdef list found_contacts(Registry registry, Pipeline pipeline, WorldObject on, object link, object body):
    """Those of the latest detection that still stand; before they are solved their impulses are 0.

    Those of what sleeps come last, as they were when it fell asleep.

    With `on` only those of that object; with `link` or `body` of its link or body of that name.
    """
    cdef const ContactProblem* solved = &pipeline.assembly.builder.problem
    cdef const Slumber* z = pipeline.slumber
    cdef const Scene* s = pipeline.scene
    cdef const ContactPoint* c
    cdef long detection = pipeline.detections
    cdef Vec3 impulse = vec3(0.0, 0.0, 0.0)
    cdef int i
    contacts = []
    for i in range(pipeline.found.n):
        c = pipeline.found.point + i
        if not is_asked(registry, c, detection, on, link, body) or is_asleep(s, c.body_a) or is_asleep(s, c.body_b):
            continue
        if pipeline.solved:
            impulse = cone_impulse(solved, pipeline.assembly.share[CONTACTS].cone + i)
        contacts.append(contact_of(registry, c, impulse))
    for i in range(z.n):
        if (z.island[i] > 0 or i < z.found) and is_asked(registry, z.point + i, detection, on, link, body):
            contacts.append(contact_of(registry, z.point + i, z.impulse[i]))
    return contacts


cdef int drop_contacts(ContactBuffer* found, set shape_ids) except -1:
    """Contacts of these shapes are shown no more; the others stay where they are, as the rows of the problem do."""
    cdef int i
    for i in range(found.n):
        if found.point[i].shape_a in shape_ids or found.point[i].shape_b in shape_ids:
            found.point[i].shape_a = -1
    return 0


cdef str who_diverged(Registry registry, const Scene* scene):
    """The object, and of a system the joint, whose step did not end in finite numbers."""
    cdef ArticulatedSystem robot
    cdef const double* v
    if scene.failed_system < 0:
        return f"velocity of {registry.singles[scene.failed_single].name!r}"
    robot = registry.systems[scene.failed_system]
    v = scene.system[scene.failed_system].work.v_next
    for k in range(robot.nv):
        if not math.isfinite(v[k]):
            return f"velocity of {robot.name!r} at joint {robot.model.joint_of(k)!r}"
    return f"configuration of {robot.name!r}"


cdef int name_worst(Registry registry, ContactSolver solver) except -1:
    """Give the solver the name of what its largest error is of."""
    cdef const Scene* scene = &registry.memory.scene
    cdef const BodyHandle* body
    cdef list of
    if solver.counts.named or solver.counts.worst == 0.0 or not 0 < solver.counts.worst_body < scene.n_bodies:
        return 0
    body = scene.body + solver.counts.worst_body
    if body.kind == WORLD_BODY:
        return 0
    of = registry.singles if body.kind == SINGLE_BODY else registry.systems
    if not 0 <= body.index < len(of):
        return 0
    solver.worst_name = of[body.index].name
    solver.counts.named = True
    return 0
