"""Random mechanisms with everything that files can say of them; robots of other people's files."""

from __future__ import annotations

import importlib.metadata

import numpy as np

import rbdyn
from rbdyn.collision import Box, Capsule, ConvexHull, Cylinder, Sphere
from rbdyn.mechanism import Fixed, Floating, Geometry, Helical, Mimic, Planar, Prismatic, Revolute, Spherical
from rbdyn.testing.random_mechanisms import random_transform, random_tree

URDF_TYPES = (Fixed, Revolute, Prismatic, Planar, Spherical, Floating, Helical)
MJCF_TYPES = (Fixed, Revolute, Prismatic, Planar, Spherical, Floating)


def example_robots():
    """The robot files of example-robot-data."""
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return sorted(str(f.locate()) for f in files if f.suffix == ".urdf" and f.name != "ur3.urdf")


def random_shape(rng):
    kind = rng.integers(5)
    a, b, c = rng.uniform(0.05, 0.5, 3).tolist()
    if kind == 0:
        return Box((a, b, c))
    if kind == 1:
        return Sphere(a)
    if kind == 2:
        return Cylinder(a, b)
    if kind == 3:
        return Capsule(a, b)
    return ConvexHull(rbdyn.io.convex_hull(rng.normal(size=(12, 3)) * 0.1)[0])


def dressed(seed, types, n=7, successor_poses=False, hulls=True, floating_base=None):
    """A random tree whose joints have all passive elements and limits, and whose bodies have shapes and frames."""
    rng = np.random.default_rng([seed, 5])
    base = bool(seed % 2) if floating_base is None else floating_base
    m = random_tree(rng, n, types, base, successor_poses)
    m.gravity = (0, 0, -9.81)
    scalar = []
    for joint in m.tree_joints:
        if joint.num_velocities == 0:
            continue
        joint.damping, joint.friction, joint.stiffness = rng.uniform(0.1, 2, 3).tolist()
        if rng.random() < 0.5:
            joint.effort_limit = float(rng.uniform(1, 50))
        if joint.num_positions == 1:
            joint.spring_reference = rng.uniform(-1, 1, 1)
            if rng.random() < 0.7:
                joint.position_limits = (float(rng.uniform(-3, -1)), float(rng.uniform(1, 3)))
            if scalar and rng.random() < 0.3:
                factor, offset = rng.uniform(-2, 2, 2).tolist()
                joint.mimic = Mimic(scalar[int(rng.integers(len(scalar)))].name, factor, offset)
            scalar.append(joint)
        if isinstance(joint.joint_type, Spherical) and rng.random() < 0.5:
            joint.position_limits = (0.0, float(rng.uniform(0.5, 2)))
    for body in m.bodies[1:]:
        for k in range(int(rng.integers(3))):
            shape = random_shape(rng)
            while isinstance(shape, ConvexHull) and not hulls:
                shape = random_shape(rng)
            material = str(rng.choice(["default", "steel", "räder <&>"]))
            body.collision.append(Geometry(shape, random_transform(rng), f"{body.name}/{k}", material))
            color = tuple(rng.uniform(0, 1, 4).tolist())
            body.visual.append(Geometry(random_shape(rng) if hulls else Sphere(0.1), random_transform(rng),
                                        f"{body.name}/{k}", color=color))  # fmt: skip
    return m
