"""Robots with closed loops, for Worlds: a quadruped with five-bar legs and a Stewart platform."""

from __future__ import annotations

import numpy as np

import rbdyn
from rbdyn.collision.shapes import Box, Sphere

THIGH, SHANK, SPREAD = 0.1, 0.2, 1.1  # [m], and how far the two thighs of a leg stand off the vertical [rad]
CORNERS = {"LF": (0.2, 0.12), "RF": (0.2, -0.12), "LH": (-0.2, 0.12), "RH": (-0.2, -0.12)}


def at(*xyz):
    return rbdyn.Transform(translation=xyz)


def rod(name, mass, length):
    """A thin rod along -z of its frame."""
    J = mass * length**2 / 12
    return rbdyn.RigidBody(name, rbdyn.SpatialInertia(mass, (0, 0, -length / 2), np.diag([J, J, 1e-5])))


PINS = (rbdyn.Spherical(), rbdyn.Revolute((0, 1, 0)))


def minitaur(pins=PINS):
    """A trunk on four five-bar legs: two coaxial motors each, and a pin where the shanks meet, at the foot."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("minitaur"))
    trunk = rbdyn.RigidBody("trunk", rbdyn.SpatialInertia(5.0, (0, 0, 0), np.diag([0.03, 0.07, 0.09])))
    trunk.collision = [rbdyn.Geometry(Box((0.5, 0.2, 0.08)))]
    m.attach(m.root_body, trunk, rbdyn.Joint("base", rbdyn.Floating()))
    hinge = rbdyn.Revolute((0, 1, 0))
    for k, (leg, (x, y)) in enumerate(CORNERS.items()):
        ends = []
        for side in ("a", "b"):
            thigh, shank = rod(f"{leg}_thigh_{side}", 0.15, THIGH), rod(f"{leg}_shank_{side}", 0.1, SHANK)
            m.attach(trunk, thigh, rbdyn.Joint(f"{leg}_motor_{side}", hinge), at(x, y, 0))
            m.attach(thigh, shank, rbdyn.Joint(f"{leg}_knee_{side}", hinge), at(0, 0, -THIGH))
            ends.append(shank)
        ends[0].collision = [rbdyn.Geometry(Sphere(0.02), at(0, 0, -SHANK))]
        m.attach(*ends, rbdyn.Joint(f"{leg}_pin", pins[k % len(pins)]), at(0, 0, -SHANK), at(0, 0, SHANK))
    return m


def standing(height=None):
    """Coordinates of the minitaur on its feet, with closed legs: q, and those of the motors by name."""
    model = rbdyn.Model(minitaur())
    q = model.neutral()
    knee = np.arcsin(THIGH * np.sin(SPREAD) / SHANK)
    for leg in CORNERS:
        for side, sign in (("a", 1.0), ("b", -1.0)):
            q[model.joint_q_index(f"{leg}_motor_{side}")] = sign * SPREAD
            q[model.joint_q_index(f"{leg}_knee_{side}")] = -sign * (SPREAD + knee)
    q[2] = THIGH * np.cos(SPREAD) + SHANK * np.cos(knee) + 0.02 if height is None else height
    return q
