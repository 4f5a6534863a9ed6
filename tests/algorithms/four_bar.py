"""A four-bar linkage, and its equation of motion in one coordinate, written out by hand.

Ground g, crank a, coupler b and rocker c lie in the x-y plane, gravity points along -y.  With t1, t2, t3 the absolute
angles, e(t) = (cos t, sin t) and n(t) = e'(t), the loop a e(t1) + b e(t2) = g e(0) + c e(t3) holds.  Lagrange's
equation in t1, with x' and x'' the derivatives along t1 of any x:

    sum of m c'.(c' t1dd + c'' t1d^2) + I t'(t' t1dd + t'' t1d^2) + m g_y c_y' = tau.
"""

import math

import numpy as np

import rbdyn
from rbdyn.mechanism import Revolute

A, B, C, G = 0.4, 1.1, 0.8, 1.0  # lengths [m]
MASS = (1.5, 2.0, 0.7)  # crank, coupler, rocker [kg]
MOMENT = (0.03, 0.25, 0.06)  # about their centres [kg m^2]
GRAVITY = 9.81


def e(t):
    return np.array([math.cos(t), math.sin(t)])


def n(t):
    return np.array([-math.sin(t), math.cos(t)])


def closure(t1):
    """Angles of coupler and rocker by the cosine rule: the open branch."""
    d = G * e(0) - A * e(t1)  # crank's tip to rocker's foot
    r = math.hypot(*d)
    base = math.atan2(d[1], d[0])
    t2 = base + math.acos((B * B + r * r - C * C) / (2 * B * r))
    tip = A * e(t1) + B * e(t2) - G * e(0)
    return t2, math.atan2(tip[1], tip[0])


def derivatives(t1):
    """First and second derivatives of (t1, t2, t3) along t1, by the loop dotted with e(t3) and e(t2)."""
    t2, t3 = closure(t1)
    d2 = -A * math.sin(t3 - t1) / (B * math.sin(t3 - t2))
    d3 = A * math.sin(t2 - t1) / (C * math.sin(t2 - t3))
    dd2 = (A * math.cos(t1 - t3) + B * d2**2 * math.cos(t2 - t3) - C * d3**2) / (B * math.sin(t3 - t2))
    dd3 = (-A * math.cos(t1 - t2) - B * d2**2 + C * d3**2 * math.cos(t3 - t2)) / (C * math.sin(t2 - t3))
    return (t1, t2, t3), (1.0, d2, d3), (0.0, dd2, dd3)


def equation(t1, rotor=0.0):
    """m, s and w of m t1dd + s t1d^2 + w = tau."""
    t, d, dd = derivatives(t1)
    first = [A / 2 * d[0] * n(t[0]), A * d[0] * n(t[0]) + B / 2 * d[1] * n(t[1]), C / 2 * d[2] * n(t[2])]
    second = [
        -A / 2 * e(t[0]),
        -A * e(t[0]) + B / 2 * (dd[1] * n(t[1]) - d[1] ** 2 * e(t[1])),
        C / 2 * (dd[2] * n(t[2]) - d[2] ** 2 * e(t[2])),
    ]
    m = rotor * (d[2] - d[1]) ** 2
    s = rotor * (d[2] - d[1]) * (dd[2] - dd[1])
    w = 0.0
    for k in range(3):
        m += MASS[k] * first[k] @ first[k] + MOMENT[k] * d[k] ** 2
        s += MASS[k] * first[k] @ second[k] + MOMENT[k] * d[k] * dd[k]
        w += MASS[k] * GRAVITY * first[k][1]
    return m, s, w


def four_bar(rotor=0.0, pins=(0.0,)):
    """The linkage; coupler and rocker are pinned once for every offset in `pins` along the hinge's axis [m]."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"), gravity=(0, -GRAVITY, 0))
    crank, coupler, rocker = (
        rbdyn.RigidBody(name, rbdyn.SpatialInertia(mass, (length / 2, 0, 0), np.diag([0.01, moment, moment])))
        for name, mass, moment, length in zip(("crank", "coupler", "rocker"), MASS, MOMENT, (A, B, C), strict=True)
    )
    hinge = Revolute((0, 0, 1))
    m.attach(m.root_body, crank, rbdyn.Joint("motor", hinge))
    m.attach(crank, coupler, rbdyn.Joint("knee", hinge), rbdyn.Transform(translation=(A, 0, 0)))
    m.attach(m.root_body, rocker, rbdyn.Joint("foot", hinge), rbdyn.Transform(translation=(G, 0, 0)))
    for k, z in enumerate(pins):
        pin = rbdyn.Joint(f"pin{k}", hinge, rotor_inertia=0.0 if k else rotor)
        tip, end = (rbdyn.Transform(translation=(length, 0, z)) for length in (B, C))
        m.attach(coupler, rocker, pin, tip, end.inverse())
    return m


def in_motion(t1, rate, rotor=0.0, pins=(0.0,)):
    """The State, and the derivatives of its q along t1."""
    t, d, dd = derivatives(t1)
    model = rbdyn.Model(four_bar(rotor, pins))
    state = rbdyn.State(model)
    order = [model.joint_v_index(name) for name in ("motor", "knee", "foot")]
    q, first, second = np.zeros((3, 3))
    for x, y in ((q, t), (first, d), (second, dd)):
        x[order] = [y[0], y[1] - y[0], y[2]]
    state.set(q, rate * first)
    return state, first, second, order
