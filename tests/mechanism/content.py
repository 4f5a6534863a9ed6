"""Everything a mechanism says about itself: by value, to compare it with a copy, or with its own parts besides."""

from __future__ import annotations


def content(mechanism, identities=False):
    """Names, types, poses, inertias, parameters, order, frames and revision, as comparable values.

    With `identities`, also which objects they are, for a mechanism that is to be left alone.
    """

    def who(thing):
        return id(thing) if identities else None

    def of_pose(pose):
        return pose.rotation.tolist(), pose.translation.tolist()

    def of_frame(frame):
        return who(frame), frame.name

    def of_geometry(item):
        return who(item.shape), repr(item.shape), of_pose(item.pose), item.name, item.material, item.group, item.mask

    def of_body(b):
        I = b.inertia  # noqa: E741
        return (
            who(b),
            b.name,
            (I.mass, I.com.tolist(), I.inertia.tolist()),
            [of_geometry(item) for item in (*b.collision, *b.visual)],
            of_frame(b.frame),
            [(name, of_frame(frame), of_pose(pose)) for name, (frame, pose) in b.frames.items()],
            [j.name for j in (*mechanism.in_joints(b), *mechanism.out_joints(b), *mechanism.joints_to_children(b))],
        )

    def of_joint(j):
        numbers = (j.velocity_limit, j.effort_limit, j.rotor_inertia, j.damping, j.friction, j.stiffness,
                   *j.limit_softness)
        edge = mechanism.edge(j)
        return (
            who(j),
            (j.name, j.joint_type, j.position_limits, numbers, j.spring_reference.tolist(), j.mimic),
            (of_frame(j.frame_before), of_frame(j.frame_after)),
            (who(edge), edge.predecessor.name, edge.successor.name),
            (of_pose(edge.joint_pose), of_pose(edge.successor_pose)),
            mechanism.find_joint(j.name) is j,
        )

    return (
        mechanism.name,
        mechanism.revision,
        mechanism.gravity.tolist(),
        mechanism.diagnostics,
        [of_body(b) for b in mechanism.bodies],
        [of_joint(j) for j in mechanism.tree_joints],
        [of_joint(j) for j in mechanism.non_tree_joints],
        [mechanism.joint_to_parent(b).name for b in mechanism.bodies[1:]],
        sorted((name, host.name, who(host)) for name, host in mechanism._merged_names.items()),
        repr(mechanism),
    )


def belongs(mechanism):
    """Every part counts its edits with `mechanism`; nothing else is asked."""
    return all(part._revision is mechanism._revision for part in (*mechanism.bodies, *mechanism.joints))
