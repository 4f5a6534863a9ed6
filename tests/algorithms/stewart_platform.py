"""A Stewart platform: six closed loops."""

from __future__ import annotations

import numpy as np

import rbdyn


def at(*xyz):
    return rbdyn.Transform(translation=xyz)


def stewart_platform(height=1.0):
    """A platform on six legs; a leg is a universal joint, a slide and, as a loop joint, a ball under the platform."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("ground"))
    platform = rbdyn.RigidBody("platform", rbdyn.SpatialInertia(20.0, (0, 0, 0.05), np.diag([0.8, 0.9, 1.5])))
    m.attach(m.root_body, platform, rbdyn.Joint("platform", rbdyn.Floating()), at(0, 0, height))
    for k in range(6):
        pair, side = k // 2, 2 * (k % 2) - 1
        foot = _on_circle(1.0, 120 * pair + 15 * side)
        ball = _on_circle(0.6, 120 * pair + 45 * side)
        leg = np.append(ball, height) - np.append(foot, 0.0)
        length = np.linalg.norm(leg)
        z = leg / length
        x = np.cross((0, 1, 0), z)
        x /= np.linalg.norm(x)
        R = np.array([x, np.cross(z, x), z]).T
        cross, cylinder, rod = (
            rbdyn.RigidBody(f"{part}{k}", rbdyn.SpatialInertia(mass, (0, 0, z_com), np.diag(J)))
            for part, mass, z_com, J in (
                ("cross", 0.2, 0.0, [1e-3] * 3),
                ("cylinder", 1.5, 0.2, [0.03, 0.03, 0.002]),
                ("rod", 0.8, -0.2, [0.02, 0.02, 0.001]),
            )
        )
        m.attach(
            m.root_body, cross, rbdyn.Joint(f"x{k}", rbdyn.Revolute((1, 0, 0))),
            rbdyn.Transform(rotation=R, translation=np.append(foot, 0.0)),
        )  # fmt: skip
        m.attach(cross, cylinder, rbdyn.Joint(f"y{k}", rbdyn.Revolute((0, 1, 0))))
        m.attach(cylinder, rod, rbdyn.Joint(f"leg{k}", rbdyn.Prismatic((0, 0, 1))), at(0, 0, length))
        m.attach(rod, platform, rbdyn.Joint(f"ball{k}", rbdyn.Spherical()), successor_pose=at(*ball, 0.0).inverse())
    return m


def _on_circle(radius, degrees):
    angle = np.deg2rad(degrees)
    return radius * np.array([np.cos(angle), np.sin(angle)])
