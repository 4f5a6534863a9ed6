"""One contact: the laws, the degenerate cases, and agreement with enumeration."""

import os

import numpy as np
import pytest
from reference.contact_law import random_block, solutions

from rbdyn.contact.cone.local import solve_local
from rbdyn.errors import ContactError

SEEDS = int(os.environ.get("SEEDS", "4"))
LAWS = ("coulomb", "raisim")
METHODS = ("newton", "bisection")
BOTH = [(law, method) for law in LAWS for method in METHODS]


@pytest.mark.parametrize("law, method", BOTH)
def test_agrees_with_enumeration(law, method):
    """Random blocks of condition up to 1e3: rel 1e-9, every mode occurring often."""
    rng = np.random.default_rng(1)
    modes = []
    for _ in range(1200):
        G = random_block(rng, 10 ** rng.uniform(0, 3))
        c, mu = rng.normal(size=3), rng.uniform(0.05, 1.5)
        expected_mode, expected = solutions(G, c, mu, law)
        lam, mode = solve_local(G, c, mu, law, method)
        assert mode == expected_mode
        modes.append(mode)
        assert min(np.abs(lam - x).max() for x in expected) <= 1e-9 * np.abs(lam).max() + 1e-300
        if mode != "open":
            assert abs((G @ lam + c)[2]) <= 1e-13 * (np.abs(c).max() + (np.abs(G) @ np.abs(lam)).max())
        assert np.hypot(*lam[:2]) <= mu * lam[2] * (1 + 1e-14)
    assert min(modes.count(m) for m in ("open", "stick", "slide")) > 100


@pytest.mark.parametrize("law, method", BOTH)
def test_agrees_with_enumeration_where_the_curve_is_open(law, method):
    """Strong coupling, mu |G_tn| > G_nn: the sliding curve is a hyperbola, and some directions have no point on it."""
    rng = np.random.default_rng(11)
    slides = 0
    while slides < 400:
        G = random_block(rng, 100.0)
        mu, c = rng.uniform(1.0, 10.0), rng.normal(size=3)
        if mu * np.hypot(G[2, 0], G[2, 1]) < 1.05 * G[2, 2]:
            continue
        expected_mode, expected = solutions(G, c, mu, law)
        lam, mode = solve_local(G, c, mu, law, method)
        assert mode == expected_mode
        if mode == "slide":
            slides += 1
            assert min(np.abs(lam - x).max() for x in expected) <= 1e-7 * np.abs(lam).max()


@pytest.mark.parametrize("law, method", BOTH)
def test_slip_follows_its_law(law, method):
    """Slip is exactly against friction ("coulomb"), or against G_nn e + mu G_tn ("raisim")."""
    rng = np.random.default_rng(2)
    angles = []
    for _ in range(2000):
        G, mu = random_block(rng, 10 ** rng.uniform(0, 2)), rng.uniform(0.1, 2.0)
        c = rng.normal(size=3)
        lam, mode = solve_local(G, c, mu, law, method)
        if mode != "slide":
            continue
        e = lam[:2] / np.linalg.norm(lam[:2])
        against = e if law == "coulomb" else G[2, 2] * e + mu * G[2, :2]
        against = against / np.linalg.norm(against)
        v = (G @ lam + c)[:2]
        scale = np.abs(c).max() + (np.abs(G) @ np.abs(lam)).max()
        assert abs(v[0] * against[1] - v[1] * against[0]) <= 1e-9 * scale
        assert v @ against <= 1e-12 * scale
        angles.append(np.degrees(np.arccos(np.clip(e @ against, -1, 1))))
    assert len(angles) > 500
    assert (np.median(angles) > 2.0) == (law == "raisim")             # the two laws do differ


def test_laws_deviate_by_less_than_the_eccentricity():
    """"raisim": the angle between friction and slip is below asin(mu |G_tn| / G_nn)."""
    rng = np.random.default_rng(3)
    largest = 0.0
    for _ in range(2000):
        G, mu, c = random_block(rng, 30.0), rng.uniform(0.1, 1.0), rng.normal(size=3)
        eccentricity = mu * np.hypot(G[2, 0], G[2, 1]) / G[2, 2]
        lam, mode = solve_local(G, c, mu, "raisim")
        v = (G @ lam + c)[:2]
        if mode == "slide" and eccentricity < 1 and np.linalg.norm(v) > 1e-6:
            sine = abs(v[0] * lam[1] - v[1] * lam[0]) / np.linalg.norm(v) / np.linalg.norm(lam[:2])
            assert sine <= eccentricity * (1 + 1e-7) + 1e-9
            largest = max(largest, sine)
    assert largest > 0.5


@pytest.mark.parametrize("law, method", BOTH)
@pytest.mark.parametrize("tangent, mu", [(2.0, 1.2), (2.0, 1.5), (2.0, 2.5), (np.tan(1.0), 5.0)])
@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_painleve_rod(law, method, tangent, mu, speed):
    """A rod (m = 1, 2 l = 1) on its tip: the answer of enumeration in its plane, and energy is lost."""
    m, length, angle = 1.0, 0.5, np.arctan(tangent)
    inertia = m * length**2 / 3
    rx, rz = -length * np.cos(angle), -length * np.sin(angle)
    J = np.array([[1.0, 0.0, rz], [0.0, 1.0, -rx]])
    g = J @ np.diag([1 / m, 1 / m, 1 / inertia]) @ J.T
    G = np.array([[g[0, 0], 0, g[0, 1]], [0, 1 / m + length**2 / inertia, 0], [g[1, 0], 0, g[1, 1]]])
    c = np.array([speed, 0.0, -0.01])
    stick = -np.linalg.solve(g, c[[0, 2]])
    expected = [stick] if stick[1] > 0 and abs(stick[0]) <= mu * stick[1] else []
    for side in (1.0, -1.0):
        D = g[1, 1] + side * mu * g[1, 0]
        x, n = side * mu * 0.01 / D, 0.01 / D
        if not expected and D > 0 and (c[0] + g[0, 0] * x + g[0, 1] * n) * side <= 0:
            expected.append(np.array([x, n]))
    lam, _ = solve_local(G, c, mu, law, method)
    assert min(np.abs(lam[[0, 2]] - x).max() for x in expected) <= 1e-12 * np.abs(lam).max()
    assert lam[1] == pytest.approx(0.0, abs=1e-12)
    assert 0.5 * lam @ G @ lam + lam @ c < 0
    if (tangent, mu, speed) == (2.0, 1.5, -1.0):                      # beyond the critical friction 4/3
        np.testing.assert_allclose(lam[[0, 2]], [0.403, 0.3085], atol=5e-5)


def test_painleve_rod_impact_without_collision():
    """tan = 2, mu = 1.5 > 4/3: a tip that barely approaches stops dead."""
    G = np.array([[1 + 12 * 0.2, 0, 0], [0, 4.0, 0], [0, 0, 1 + 12 * 0.05]])
    G[0, 2] = G[2, 0] = -12 * 0.25 * np.sin(np.arctan(2.0)) * np.cos(np.arctan(2.0))
    lam, mode = solve_local(G, (-1.0, 0.0, -0.01), 1.5)
    assert mode == "stick"
    np.testing.assert_allclose(lam, [0.403, 0.0, 0.3085], atol=5e-4)


@pytest.mark.parametrize("law, method", BOTH)
def test_ball_has_the_closed_form(law, method):
    """An isotropic block: friction against c_t, mu times the normal impulse."""
    G, c = np.diag([3.5, 3.5, 1.0]), np.array([3.0, -4.0, -2.0])
    lam, mode = solve_local(G, c, 0.4, law, method)
    assert mode == "slide"
    np.testing.assert_allclose(lam, [-0.6 * 0.8, 0.8 * 0.8, 2.0], rtol=1e-15)
    lam, mode = solve_local(G, c, 0.9, law, method)
    assert mode == "stick"
    np.testing.assert_allclose(lam, [-3 / 3.5, 4 / 3.5, 2.0], rtol=1e-15)


@pytest.mark.parametrize("law, method", BOTH)
@pytest.mark.parametrize("mu", [0.0, 1e-300, 1e-9, 1e-3, 1e3, 1e6, 1e9, 1e300])
def test_any_friction(law, method, mu):
    """From none to what no material has: no penetration, inside the cone."""
    rng = np.random.default_rng(4)
    G = random_block(rng, 10.0)
    for _ in range(50):
        c = rng.normal(size=3)
        c[2] = -abs(c[2])
        lam, _ = solve_local(G, c, mu, law, method)
        assert abs((G @ lam + c)[2]) <= 1e-13 * (np.abs(c).max() + (np.abs(G) @ np.abs(lam)).max())
        assert np.hypot(*lam[:2]) <= mu * lam[2] * (1 + 1e-14)
    if mu == 0.0:
        np.testing.assert_allclose(lam, [0, 0, -c[2] / G[2, 2]], rtol=1e-15)


@pytest.mark.parametrize("law, method", BOTH)
def test_vanishing_approach(law, method):
    """c_n -> 0-: the impulse per approach speed converges."""
    G = random_block(np.random.default_rng(5), 10.0)
    ratios = []
    for approach in (1e-9, 1e-15, 1e-30, 1e-100, 1e-300):
        lam, mode = solve_local(G, (0.3, -0.7, -approach), 0.6, law, method)
        assert mode == "slide"
        ratios.append(lam / approach)
    np.testing.assert_allclose(ratios, np.tile(ratios[-1], (5, 1)), rtol=1e-7)
    assert solve_local(G, (0.3, -0.7, 0.0), 0.6, law, method)[1] == "open"


@pytest.mark.parametrize("law, method", BOTH)
def test_homogeneous_in_speed(law, method):
    """lam(s c) = s lam(c), exactly for powers of two, down to where numbers end."""
    G, c = random_block(np.random.default_rng(6), 10.0), np.array([1.0, 0.5, -0.3])
    lam, mode = solve_local(G, c, 0.3, law, method)
    assert mode == "slide"
    for power in (-900, -300, -100, 100, 300, 900):
        scaled, _ = solve_local(G, np.ldexp(c, power), 0.3, law, method)
        np.testing.assert_allclose(scaled, np.ldexp(lam, power), rtol=1e-9)


@pytest.mark.parametrize("law, method", BOTH)
def test_speeds_of_very_different_size_have_the_closed_form(law, method):
    """A ball again: the largest speed is what is scaled to one, and the smallest may vanish beside it."""
    G = np.diag([3.5, 3.5, 1.0])
    for c in ((1e200, 1e-200, -1e150), (1e-250, -1e180, -1e-20), (1e-310, 1e-120, -1e-100)):
        lam, mode = solve_local(G, c, 0.4, law, method)
        n, large = -c[2], int(abs(c[1]) > abs(c[0]))
        rest = abs(c[large]) / 3.5 <= 0.4 * n
        assert mode == ("stick" if rest else "slide")
        assert lam[2] == pytest.approx(n, rel=1e-14)
        assert lam[large] == pytest.approx(-c[large] / 3.5 if rest else -0.4 * n * np.sign(c[large]), rel=1e-14)
        assert abs(lam[1 - large]) < 1e-100 * n


@pytest.mark.parametrize("axis", range(3))
def test_an_impulse_beyond_numbers_keeps_the_old_one(axis):
    """Friction of any size holds: each part of the impulse alone may overflow."""
    c = np.array([1.0, 1.0, -1e295])
    c[axis] = -1e305
    lam, mode = solve_local(np.diag([3.5, 3.5, 1.0]), c, 1e12, old=(0.1, 0.2, 0.3))
    assert mode == "failed"
    np.testing.assert_array_equal(lam, [0.1, 0.2, 0.3])


@pytest.mark.parametrize("c", [(np.nan, 0, -1), (0, 0, np.nan), (np.inf, 0, -1), (0, 1, -np.inf)])
def test_not_finite_keeps_the_old_impulse(c):
    lam, mode = solve_local(np.eye(3), c, 0.5, old=(0.1, 0.2, 0.3))
    assert mode == "failed"
    np.testing.assert_array_equal(lam, [0.1, 0.2, 0.3])


def test_no_normal_mobility_is_skipped():
    lam, mode = solve_local(np.diag([1.0, 1.0, 1e-13]), (1, 1, -1), 0.5)
    assert mode == "open" and not lam.any()
    lam, _ = solve_local(np.zeros((3, 3)), (1, 1, -1), 0.5)
    assert not lam.any()


def singular(rng, rank):
    """A block of that rank, and a velocity it can cancel, approaching."""
    A = rng.normal(size=(3, rank))
    c = A @ rng.normal(size=rank)
    return A @ A.T, -c if c[2] > 0 else c


@pytest.mark.parametrize("rank", [1, 2])
def test_singular_block_converges_by_proximal_steps(rank):
    """Repeated visits of a rank-deficient contact reach Signorini, cone and Coulomb's direction."""
    rng = np.random.default_rng(8)
    for _ in range(30):
        G, c = singular(rng, rank)
        mu, lam = rng.uniform(0.2, 1.5), np.zeros(3)
        for _ in range(300):
            lam, _ = solve_local(G, c, mu, old=lam)
        v = G @ lam + c
        assert abs(v[2]) < 1e-9 and lam[2] > 0 and np.hypot(*lam[:2]) <= mu * lam[2] * (1 + 1e-12)
        if np.hypot(*lam[:2]) < mu * lam[2] * (1 - 1e-6):
            assert np.hypot(*v[:2]) < 1e-8
        else:
            assert abs(v[0] * lam[1] - v[1] * lam[0]) < 1e-8 * np.abs(lam).max() and v[:2] @ lam[:2] < 1e-9


def degenerate(rng):
    """A block of any rank and size, a velocity of any size, any friction."""
    A = rng.normal(size=(3, rng.integers(1, 5))) * 10.0 ** rng.integers(-3, 4, size=(3, 1))
    G = A @ A.T * 10.0 ** rng.uniform(-25, 20)
    c = rng.normal(size=3) * 10.0 ** rng.choice([-323, -310, -300, -150, -8, 0, 0, 0, 3, 150, 290], size=3)
    return G, c, float(rng.choice([0.0, 1e-300, 1e-9, 1e-3, 0.3, 0.8, 3.0, 1e6, 1e12, 1e300]))


def test_fuzz_never_leaves_the_cone():
    """Degenerate problems, 6,000 for every seed there is: finite, pushing, inside the cone."""
    rng = np.random.default_rng(29)
    modes = set()
    for k in range(6_000 * SEEDS):
        G, c, mu = degenerate(rng)
        lam, mode = solve_local(G, c, mu, *BOTH[k % 4])
        modes.add(mode)
        n = float(lam[2])
        assert abs(lam[0]) <= 1.8e308 and abs(lam[1]) <= 1.8e308 and 0.0 <= n <= 1.8e308, (k, G, c, mu, lam)
        size = float(np.hypot(lam[0], lam[1]))
        assert size <= mu * n * (1 + 1e-12) + (1 + mu) * 1e-322, (k, G, c, mu, lam)
    assert {"open", "stick", "slide"} <= modes


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((np.eye(2), (0, 0, -1), 0.5), r"^G must have shape \(3, 3\)"),
        ((np.full((3, 3), np.nan), (0, 0, -1), 0.5), "^G must be finite"),
        ((np.eye(3), (0, -1), 0.5), r"^c must have shape \(3,\)"),
        ((np.eye(3), (0, 0, -1), 0.5, "amontons"), "^friction_law must be one of 'coulomb', 'raisim'"),
        ((np.eye(3), (0, 0, -1), 0.5, "coulomb", "secant"), "^local_solver must be one of"),
    ],
)
def test_names_the_bad_argument(arguments, message):
    with pytest.raises(ContactError, match=message):
        solve_local(*arguments)
