"""A mechanism with two revolute joints, and a body without mass between them, in place of each universal joint."""

from rbdyn.mechanism import Joint, Mechanism, Revolute, RigidBody, Universal
from rbdyn.spatial import Transform


def copied(body):
    new = RigidBody(body.name, body.inertia)
    for item in body.collision:
        new.collision.append(item)
    return new


def hinges(joint):
    """Both revolute joints of a universal one."""
    made = []
    for k, axis in enumerate((joint.joint_type.axis1, joint.joint_type.axis2)):
        limits = None if joint.position_limits is None else joint.position_limits[k]
        made.append(Joint(f"{joint.name}_{k}", Revolute(axis), position_limits=limits))
        for name in ("velocity_limit", "effort_limit", "rotor_inertia", "damping", "friction", "static_friction",
                     "static_threshold", "stiffness", "limit_restitution", "limit_softness"):  # fmt: skip
            setattr(made[-1], name, getattr(joint, name))
        made[-1].spring_reference = joint.spring_reference[k : k + 1]
    return made


def in_series(mechanism):
    """The twin; all other joints keep their names, and bodies theirs."""
    twin = Mechanism(RigidBody(mechanism.root_body.name), gravity=mechanism.gravity)
    for joint in (*mechanism.tree_joints, *mechanism.non_tree_joints):
        edge = mechanism.edge(joint)
        known = {body.name: body for body in twin.bodies}
        before = known[edge.predecessor.name]
        after = known.get(edge.successor.name) or copied(edge.successor)
        if not isinstance(joint.joint_type, Universal):
            twin.attach(before, after, joint.copy(), edge.joint_pose, edge.successor_pose)
            continue
        first, second = hinges(joint)
        cross = RigidBody(f"cross_{joint.name}")
        twin.attach(before, cross, first, edge.joint_pose)
        twin.attach(cross, after, second, Transform(), edge.successor_pose)
    return twin
