"""Linkages with closed loops: a four-bar, one whose last hinge is held twice, and a Stewart platform."""

from __future__ import annotations

import numpy as np

import rbdyn

HINGE = rbdyn.Revolute(axis=(0, 1, 0))
CRANK, COUPLER, ROCKER, GROUND = 0.3, 0.8, 0.6, 0.7  # [m]; crank + coupler < ground + rocker: the crank goes round
DENSITY = 2.0  # [kg/m]


def bar(name, length):
    """A thin bar along x from its own origin."""
    mass = DENSITY * length
    J = mass * length**2 / 12 * np.diag([1e-3, 1.0, 1.0])
    return rbdyn.RigidBody(name, rbdyn.SpatialInertia(mass, (length / 2, 0, 0), J))


def at(*xyz):
    return rbdyn.Transform(translation=xyz)


def four_bar(pins=(0.0,)):
    """Crank and rocker on the ground, the coupler between them, in the x-z plane.

    The hinge of coupler and rocker is a loop joint, once for every offset in `pins` along its axis [m].
    """
    m = rbdyn.Mechanism(rbdyn.RigidBody("ground"))
    crank, coupler, rocker = bar("crank", CRANK), bar("coupler", COUPLER), bar("rocker", ROCKER)
    m.attach(m.root_body, crank, rbdyn.Joint("crank_hinge", HINGE))
    m.attach(crank, coupler, rbdyn.Joint("coupler_hinge", HINGE), at(CRANK, 0, 0))
    m.attach(m.root_body, rocker, rbdyn.Joint("rocker_hinge", HINGE), at(GROUND, 0, 0))
    for k, y in enumerate(pins):
        m.attach(coupler, rocker, rbdyn.Joint(f"pin{k}", HINGE), at(COUPLER, y, 0), at(ROCKER, y, 0).inverse())
    return m


def four_bar_angles(theta):
    """Angles of crank, coupler and rocker in the x-z plane, from x towards z [rad]: two circles meet above the bars."""
    pin = CRANK * np.array([np.cos(theta), np.sin(theta)])
    to_ground = np.array([GROUND, 0.0]) - pin
    d = np.hypot(*to_ground)
    open_angle = np.arccos((COUPLER**2 + d**2 - ROCKER**2) / (2 * COUPLER * d))
    coupler = np.arctan2(to_ground[1], to_ground[0]) + open_angle
    end = pin + COUPLER * np.array([np.cos(coupler), np.sin(coupler)]) - (GROUND, 0.0)
    return theta, coupler, np.arctan2(end[1], end[0])


def four_bar_q(model, theta):
    """The configuration at crank angle theta.  A positive turn about y takes x to -z, hence the signs."""
    crank, coupler, rocker = four_bar_angles(theta)
    q = np.empty(model.nq)
    for name, angle in (("crank_hinge", crank), ("coupler_hinge", coupler - crank), ("rocker_hinge", rocker)):
        q[model.joint_q_index(name)] = -angle
    return q


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
