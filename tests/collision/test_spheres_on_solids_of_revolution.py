"""Spheres against cylinders and cones: every part of the outline, from outside and from within, worked out by hand."""

import numpy as np
import pytest
from collision_scenes import contacts, pose, rotation

from rbdyn.collision import Cone, Cylinder, NativeBackend, Sphere

CAN, HAT = Cylinder(0.3, 1.0), Cone(0.3, 0.4)  # the side of the cone looks along (0.8, 0, 0.6)
R = 0.1
ANSWERS = {  # centre of the sphere [m]: gap of it [m], outward normal
    "side": (CAN, (0.38, 0.0, 0.2), 0.08, (1.0, 0.0, 0.0)),
    "top": (CAN, (0.1, 0.1, 0.55), 0.05, (0.0, 0.0, 1.0)),
    "bottom": (CAN, (-0.1, 0.2, -0.53), 0.03, (0.0, 0.0, -1.0)),
    "rim": (CAN, (0.0, 0.33, 0.54), 0.05, (0.0, 0.6, 0.8)),
    "lower rim": (CAN, (-0.34, 0.0, -0.53), 0.05, (-0.8, 0.0, -0.6)),
    "within, by the side": (CAN, (0.0, -0.25, 0.1), -0.05, (0.0, -1.0, 0.0)),
    "within, by the bottom": (CAN, (0.05, 0.0, -0.48), -0.02, (0.0, 0.0, -1.0)),
    "within, on the axis": (CAN, (0.0, 0.0, 0.45), -0.05, (0.0, 0.0, 1.0)),
    "its centre": (CAN, (0.0, 0.0, 0.0), -0.3, (1.0, 0.0, 0.0)),
    "cone, side": (HAT, (0.15 + 0.04, 0.0, 0.03), 0.05, (0.8, 0.0, 0.6)),
    "cone, side, low": (HAT, (0.186, 0.248, -0.13), 0.05, (0.48, 0.64, 0.6)),
    "cone, straight above": (HAT, (0.0, 0.0, 0.26), 0.06, (0.0, 0.0, 1.0)),
    "cone, above": (HAT, (0.03, 0.0, 0.24), 0.05, (0.6, 0.0, 0.8)),
    "cone, base": (HAT, (0.1, 0.1, -0.25), 0.05, (0.0, 0.0, -1.0)),
    "cone, rim, below": (HAT, (0.33, 0.0, -0.24), 0.05, (0.6, 0.0, -0.8)),
    "cone, rim, beside": (HAT, (0.0, -0.35, -0.2), 0.05, (0.0, -1.0, 0.0)),
    "cone, rim, above": (HAT, (0.3 + 0.048, 0.0, -0.2 + 0.014), 0.05, (0.96, 0.0, 0.28)),
    "cone, within, by the base": (HAT, (0.05, 0.0, -0.18), -0.02, (0.0, 0.0, -1.0)),
    "cone, within, by the side": (HAT, (0.15 - 0.016, 0.0, -0.012), -0.02, (0.8, 0.0, 0.6)),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_part_of_the_outline(name):
    shape, centre, gap, normal = ANSWERS[name]
    rng = np.random.default_rng(len(name))
    centre, normal = np.array(centre), np.array(normal)
    X = pose(0.4, -0.3, 0.7, rotation(rng))
    Y = pose(*(X[:3, :3] @ centre + X[:3, 3]), rotation(rng))
    n = X[:3, :3] @ normal
    middle = Y[:3, 3] - 0.5 * (gap + R) * n
    for parts, sign in (([(Sphere(R), Y), (shape, X)], 1.0), ([(shape, X), (Sphere(R), Y)], -1.0)):
        (c,) = contacts(NativeBackend(), *parts)
        assert c["depth"] == pytest.approx(R - gap, abs=1e-15)
        assert c["feature"] == 0
        np.testing.assert_allclose(c["normal"], sign * n, atol=1e-14)
        np.testing.assert_allclose(c["position"], middle, atol=1e-14)
    assert len(contacts(NativeBackend(), (Sphere(gap - 1e-12), Y), (shape, X)) if gap > 0.0 else ()) == 0
    (c,) = contacts(NativeBackend(margin=0.1 * R), (Sphere(gap - 0.05 * R), Y), (shape, X)) if gap > 0.0 else (c,)
    assert c["depth"] == pytest.approx(-0.05 * R if gap > 0.0 else R - gap, abs=1e-15)


@pytest.mark.parametrize("shape", [CAN, HAT], ids=["cylinder", "cone"])
def test_the_gap_is_a_distance(shape, seed):
    """It changes as fast as the centre moves, along the normal, and outside nowhere more than that: it is one field."""
    rng = np.random.default_rng(seed)
    backend = NativeBackend(margin=1.0)
    for _ in range(40):
        at, step = rng.uniform(-0.6, 0.6, 3), 1e-4 * rng.normal(size=3)
        (a,) = contacts(backend, (Sphere(R), pose(*at)), (shape, np.eye(4)))
        (b,) = contacts(backend, (Sphere(R), pose(*(at + step))), (shape, np.eye(4)))
        assert abs(b["depth"] - a["depth"]) <= np.linalg.norm(step) * (1.0 + 1e-9)
        if a["normal"] @ b["normal"] > 0.999999:
            assert a["depth"] - b["depth"] == pytest.approx(a["normal"] @ step, abs=2e-7)
