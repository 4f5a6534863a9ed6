"""Several contacts in plain matrices: Jacobians, residuals of the laws, random systems."""

import numpy as np

from rbdyn.contact import Problem


def skew(r):
    """r x as a matrix."""
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def rotations(rng, n):
    """n random rotation matrices."""
    Q = np.linalg.qr(rng.normal(size=(n, 3, 3)))[0]
    Q[np.linalg.det(Q) < 0, 0] *= -1
    return Q


class System:
    """Single bodies and an articulated system, with contacts; M, J and the free velocity as dense arrays."""

    def __init__(self, rng, bodies, contacts, coordinates=0, friction=None):
        n = contacts
        self.n, self.friction = n, rng.uniform(0.1, 1.0, n) if friction is None else np.broadcast_to(friction, n)
        self.mass = 10 ** rng.uniform(-0.5, 0.5, bodies)
        turn = rotations(rng, bodies)
        moments = self.mass[:, None] * rng.uniform(0.05, 0.15, (bodies, 3))
        self.inertia = np.einsum("kij,kj,klj->kil", turn, moments, turn)
        self.frame = rotations(rng, n)
        self.a = np.arange(n) % bodies
        self.b = np.array([rng.choice([k for k in range(-1, bodies) if k != a]) for a in self.a])
        self.arm_a, self.arm_b = 0.4 * rng.normal(size=(2, n, 3))
        A = rng.normal(size=(coordinates, coordinates))
        self.M = A @ A.T + np.eye(coordinates)
        self.J = rng.normal(size=(n, 3, coordinates)) * (rng.random((n, 1, coordinates)) < 0.6)
        self.u = rng.normal(size=6 * bodies + coordinates)
        self.keys = np.arange(1, n + 1)

    def matrices(self):
        """J (3n, nv) and M^-1 (nv, nv); velocities are (v, w) of every body, then the coordinates."""
        m = len(self.mass)
        J, W = np.zeros((3 * self.n, len(self.u))), np.zeros((len(self.u), len(self.u)))
        for k in range(m):
            W[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = np.eye(3) / self.mass[k]
            W[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = np.linalg.inv(self.inertia[k])
        W[6 * m :, 6 * m :] = np.linalg.inv(self.M)
        for i in range(self.n):
            s = slice(3 * i, 3 * i + 3)
            for k, arm, sign in ((self.a[i], self.arm_a[i], 1.0), (self.b[i], self.arm_b[i], -1.0)):
                if k >= 0:
                    J[s, 6 * k : 6 * k + 3] = sign * self.frame[i]
                    J[s, 6 * k + 3 : 6 * k + 6] = -sign * self.frame[i] @ skew(arm)
            J[s, 6 * m :] = self.J[i]
        return J, W

    def delassus(self):
        """G = J M^-1 J^T."""
        J, W = self.matrices()
        return J @ W @ J.T

    def v_free(self):
        """(n, 3) J u."""
        return (self.matrices()[0] @ self.u).reshape(-1, 3)

    def problem(self):
        """The same system in the product's terms."""
        L = np.linalg.cholesky(self.M)
        rows = np.array([np.linalg.solve(L, J.T).T for J in self.J]).reshape(self.n, 3, len(L))
        return Problem.from_bodies(
            1.0 / self.mass,
            np.linalg.inv(self.inertia),
            frame=self.frame,
            v_free=self.v_free(),
            friction=self.friction,
            single_a=self.a,
            single_b=self.b,
            arm_a=self.arm_a,
            arm_b=self.arm_b,
            rows=rows,
            key=self.keys,
        )


def random_matrix(rng, n):
    """A Delassus matrix and free velocities of n well-coupled contacts, full rank."""
    nv = 3 * n + 6
    J = rng.normal(size=(3 * n, nv)) / np.sqrt(nv)
    A = rng.normal(size=(nv, nv + 1))
    G = J @ np.linalg.solve(A @ A.T / nv + 0.1 * np.eye(nv), J.T)
    v = rng.normal(size=(n, 3))
    v[:, 2] -= 0.5
    return 0.5 * (G + G.T), v


def residual(G, v_free, friction, impulse, law):
    """Largest violation of Signorini, cone and slip direction [m/s], and how many contacts are open, stick, slide."""
    v = v_free + (G @ impulse.ravel()).reshape(-1, 3)
    worst, modes = 0.0, [0, 0, 0]
    for i, (w, lam, mu) in enumerate(zip(v, impulse, friction, strict=True)):
        block = G[3 * i : 3 * i + 3, 3 * i : 3 * i + 3]
        z, r = block[2, 2], np.hypot(*lam[:2])
        worst = max(worst, abs(min(w[2], lam[2] * z)), (r - mu * lam[2]) * z)
        if lam[2] * z < 1e-9:
            modes[0] += 1
        elif r < mu * lam[2] * (1 - 1e-9):
            modes[1] += 1
            worst = max(worst, np.hypot(*w[:2]))
        else:
            modes[2] += 1
            against = lam[:2] / r if law == "coulomb" else z * lam[:2] / r + mu * block[2, :2]
            against = against / np.linalg.norm(against)
            worst = max(worst, abs(w[0] * against[1] - w[1] * against[0]), w[:2] @ against)
    return worst, np.array(modes)


def cube_on_plane(half, slope, friction, mass=1.0, dt=1e-3, gravity=9.81):
    """A box with these half lengths flat on a plane, sliding down along x from rest: one step under gravity."""
    a, b, h = half
    inertia = mass / 3.0 * np.array([b * b + h * h, a * a + h * h, a * a + b * b])
    arms = np.array([(x, y, -h) for x in (-a, a) for y in (-b, b)])
    fall = gravity * dt * np.array([np.sin(slope), 0.0, -np.cos(slope)])
    return Problem.from_bodies(
        [1.0 / mass], [np.diag(1.0 / inertia)], frame=np.tile(np.eye(3), (4, 1, 1)), v_free=np.tile(fall, (4, 1)),
        friction=friction, single_a=np.zeros(4), arm_a=arms)


def stack(boxes, dt=2e-3, gravity=9.81):
    """Unit cubes of mass 1, 2, 3 ... on the ground, four contacts each, falling for one step."""
    mass = np.arange(1.0, boxes + 1)
    corners = [(x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    level = np.repeat(np.arange(boxes), 4)
    v = np.zeros((4 * boxes, 3))
    v[:4, 2] = -gravity * dt
    return Problem.from_bodies(
        1.0 / mass, np.eye(3) * (6.0 / mass)[:, None, None], frame=np.tile(np.eye(3), (4 * boxes, 1, 1)), v_free=v,
        friction=0.5, single_a=level, single_b=level - 1, arm_a=[(x, y, -0.5) for x, y in corners * boxes],
        arm_b=[(x, y, 0.5) for x, y in corners * boxes], key=np.arange(1, 4 * boxes + 1))
