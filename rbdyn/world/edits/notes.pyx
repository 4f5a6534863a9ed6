"""What a robot is and knows of its mechanism beside the numbers in its memory, noted and put back by snapshots."""

import numpy as np

from rbdyn.world.objects.joints.said import joints_say

from rbdyn.model.model cimport Model


cdef tuple note_of(ArticulatedSystem robot):
    """Its Model, its State and its handles, where its frames are, what its joints said, and which shapes it has."""
    cdef Model model = robot.model
    said = {name: np.array(one) if isinstance(one, np.ndarray) else list(one) for name, one in robot.said.items()}
    filters = robot.self_collides, robot.meets_parents, robot.self_contacts
    own = model, robot.state, robot.tree, robot.loops, robot._handles, dict(robot._welded)
    return (own, model.placements, model.body_placements, model.parts, dict(model._arrays), said, dict(robot.shapes_of),
            filters)


cdef int put_back_numbers(ArticulatedSystem robot, tuple note) except -1:
    """All of it as it was; its mechanism and the numbers of its Model are put back by the caller."""
    cdef Model model
    own, *here = note
    model, robot.state, robot.tree, robot.loops, robot._handles, welded = own
    robot.model, robot._welded = model, dict(welded)
    model.structure = model.mechanism.structure
    model.placements, model.body_placements, model.parts, arrays, said, shapes, filters = here
    robot.self_collides, robot.meets_parents, robot.self_contacts = filters
    model._arrays, model.sums = dict(arrays), {}
    robot.said = {name: np.array(one) if isinstance(one, np.ndarray) else list(one) for name, one in said.items()}
    robot.shapes_of = dict(shapes)
    model.renewed += 1
    model.revision = model.revision_counter.value
    robot.state.renewed = model.renewed
    robot.state.c.stage = 0
    return 0


cdef tuple said_of(ArticulatedSystem robot):
    """What a copy of it must be told beside its mechanism, as values that can be pickled."""
    ids = [[shape_id for _, shape_id in robot.shapes_of[body]] for body in robot.mechanism.bodies]
    return ids, (bool(robot.self_collides), bool(robot.meets_parents), robot.self_contacts)


cdef tuple note_from(ArticulatedSystem robot, tuple said):
    """`note_of` of a copy that has been built, from what `said_of` said."""
    ids, filters = said
    robot.said = joints_say(robot.model)
    robot.shapes_of = {body: list(zip(body.collision, own, strict=True))
                       for body, own in zip(robot.mechanism.bodies, ids, strict=True)}
    robot.self_collides, robot.meets_parents, robot.self_contacts = filters
    return note_of(robot)
