"""Objects of a World -> <objects>."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.collision.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Shape, Sphere
from rbdyn.io.export.losses import Losses
from rbdyn.io.export.mesh_files import MeshFiles
from rbdyn.io.export.xml_text import element
from rbdyn.io.worlds.mechanisms import SIX, write_mechanism
from rbdyn.io.worlds.odd_joints import write_ball_limits, write_loop_joints
from rbdyn.io.worlds.shapes import pose_words, write_geometry
from rbdyn.mechanism import Geometry
from rbdyn.spatial.transform import Transform
from rbdyn.world import ArticulatedSystem, SingleBody, World
from rbdyn.world.objects.joints.kept import has_target, welded_joints

INERTIA = ("xx", "xy", "xz", "yy", "yz", "zz")
ROUND: tuple[type[Shape], ...] = (Sphere, Box, Cylinder, Capsule, Ellipsoid, Cone)


class ObjectWriter:
    """Writes objects of one World.

    Parameters
    ----------
    files : MeshFiles
        Gives meshes their files.
    losses : Losses
        Takes what a world file cannot say.
    appearances : dict
        Object name -> what its file says it looks like.
    """

    def __init__(self, files: MeshFiles, losses: Losses, appearances: dict[str, str]) -> None:
        self._files, self._losses, self._appearances = files, losses, appearances

    def write(self, parent: Any, obj: SingleBody | ArticulatedSystem) -> None:
        """One object."""
        if isinstance(obj, SingleBody):
            node = self._single(parent, obj)
        else:
            node = self._robot(parent, obj)
        if obj.name in self._appearances:
            node.set("appearance", self._appearances[obj.name])

    # ---- single bodies -----------------------------------------------------------------------

    def _single(self, parent: Any, body: SingleBody) -> Any:
        geometries = body.geometries
        shape = geometries[0].shape if len(geometries) == 1 else None
        if body.body_type == "static" and isinstance(shape, HalfSpace) and _is_plain(geometries[0], "ground"):
            node = self._named(parent, "ground", body, geometries[0])
        elif type(shape) in ROUND and _is_plain(geometries[0], ""):
            node = self._named(parent, shape.kind, body, geometries[0])  # type: ignore[union-attr]
            self._dim(node, shape)  # type: ignore[arg-type]
            self._mass(node, body, shape)
        else:
            node = element(parent, "body", name=body.name, body_type=_other(body.body_type))
            self._mass(node, body, None)
            for k, geometry in enumerate(geometries):
                write_geometry(node, geometry, self._files, f"{body.name}_{k}")
        self._state(node, body)
        return node

    def _named(self, parent: Any, tag: str, body: SingleBody, geometry: Geometry) -> Any:
        return element(
            parent,
            tag,
            name=body.name,
            body_type=_other(body.body_type) if tag != "ground" else None,
            material=None if geometry.material == "default" else geometry.material,
            collision_group=None if geometry.group == 1 else geometry.group,
            collision_mask=None if geometry.mask == -1 else geometry.mask,
        )

    def _dim(self, node: Any, shape: Shape) -> None:
        if isinstance(shape, (Box, Ellipsoid)):
            three = shape.size if isinstance(shape, Box) else shape.radii
            element(node, "dim", **dict(zip("xyz", three, strict=True)))
        else:
            height = getattr(shape, "height", None)
            element(node, "dim", radius=shape.radius, height=height)  # type: ignore[attr-defined]

    def _mass(self, node: Any, body: SingleBody, shape: Shape | None) -> None:
        """mass, and <inertia> unless it is that of the shape."""
        mass, J = float(body.mass), body.inertia
        if mass:
            node.set("mass", repr(mass))
        usual = shape.inertia(mass) if shape is not None and mass else np.zeros((3, 3))
        if not np.array_equal(usual, J) or (shape is not None and _off_centre(shape)):
            element(node, "inertia", **{name: float(J[at]) for name, at in zip(INERTIA, SIX, strict=True)})

    def _state(self, node: Any, body: SingleBody) -> None:
        p, quat, v, w = body.position, body.orientation, body.linear_velocity, body.angular_velocity
        turned = not np.array_equal(quat, (1.0, 0.0, 0.0, 0.0))
        if p.any() or turned or v.any() or w.any():
            element(node, "state", pos=p, quat=quat if turned else None, lin_vel=v if v.any() else None,
                    ang_vel=w if w.any() else None)  # fmt: skip

    # ---- robots ------------------------------------------------------------------------------

    def _robot(self, parent: Any, robot: ArticulatedSystem) -> Any:
        most = robot.contacts_per_self_pair
        node = element(
            parent,
            "articulated_system",
            name=robot.name,
            self_collision=None if robot.self_collision == robot.mechanism.self_collision else robot.self_collision,
            loop_constraints=None if robot.loop_constraints == "eliminate" else robot.loop_constraints,
            collide_with_parent=robot.collide_with_parent or None,
            contacts_per_self_pair=most or None,
        )
        write_mechanism(node, robot.mechanism, self._files, self._losses)
        usual = World().add_articulated_system(robot.mechanism, loop_constraints=robot.loop_constraints)
        for name in welded_joints(robot):
            self._losses.add("joints that are welded: fixed for good", name)
        write_loop_joints(node, robot, usual)
        if not robot.model.floating_base:
            self._base(node, robot)
        element(node, "state", qpos=robot.q, qvel=robot.v if robot.v.any() else None)
        self._control(node, robot, usual)
        self._joint_settings(node, robot, usual)
        write_ball_limits(node, robot, usual)
        return node

    def _base(self, node: Any, robot: ArticulatedSystem) -> None:
        words = pose_words(Transform.from_matrix(robot.body_pose(robot.mechanism.root_body.name)))
        if words["pos"] is not None or words["rotation"] is not None:
            element(node, "base", **words)

    def _control(self, node: Any, robot: ArticulatedSystem, usual: ArticulatedSystem) -> None:
        (p, d), (q, v) = robot.pd_gains, robot.pd_target
        (lower, upper), tau = robot.effort_limits, robot.generalized_force
        words: dict[str, Any] = {"target_q": q} if has_target(robot) else {}
        for name, value, other in (
            ("p", p, usual.pd_gains[0]),
            ("d", d, usual.pd_gains[1]),
            ("target_v", v, usual.pd_target[1]),
            ("force", tau, usual.generalized_force),
            ("lower_effort", lower, usual.effort_limits[0]),
            ("upper_effort", upper, usual.effort_limits[1]),
        ):
            if not np.array_equal(value, other):
                words[name] = value
        if robot.pd_limits != usual.pd_limits:
            words["limits"] = robot.pd_limits
        if words or robot.control_mode != usual.control_mode:  # gains that are set choose a mode
            element(node, "control", **words, mode=robot.control_mode)

    def _joint_settings(self, node: Any, robot: ArticulatedSystem, usual: ArticulatedSystem) -> None:
        words = {
            name: value
            for (name, value), (_, other) in zip(_settings(robot), _settings(usual), strict=True)
            if not np.array_equal(value, other)
        }
        if words:
            element(node, "joint_settings", **words)


def _settings(robot: ArticulatedSystem) -> list[tuple[str, Any]]:
    """What of a robot's joints can be changed in a World, by the words of `read_robots.SETTINGS`."""
    lower, upper = robot.joint_limits
    soft, damped = robot.limit_softness
    yielding, slowed = robot.mimic_softness
    friction, static = robot.joint_friction
    stiffness, reference = robot.joint_springs
    return [
        ("lower_limits", lower),
        ("upper_limits", upper),
        ("limit_restitution", robot.limit_restitution),
        ("limit_softness", soft),
        ("limit_softness_damping", damped),
        ("mimic_softness", yielding),
        ("mimic_softness_damping", slowed),
        ("velocity_limits", robot.velocity_limits),
        ("no_load_speeds", robot.no_load_speeds),
        ("friction", friction),
        ("static_friction", static),
        ("damping", robot.joint_damping),
        ("stiffness", stiffness),
        ("spring_reference", reference),
    ]


def _is_plain(geometry: Geometry, name: str) -> bool:
    """Whether a body of one shape is what World's add_* functions make."""
    return geometry.pose.is_identity() and geometry.name == name and geometry.color is None


def _other(body_type: str) -> str | None:
    return None if body_type == "dynamic" else body_type


def _off_centre(shape: Shape) -> bool:
    return bool(shape.centroid.any())
