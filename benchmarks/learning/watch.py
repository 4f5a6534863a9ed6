"""What a policy does that ppo.py has written: python -m benchmarks.learning.watch walk.npz [--html walk.html]

It prints how far and how fast robots walk under the mean actions, with numpy alone, and writes a page that plays the
first of them (extra `viz`).
"""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np

import rbdyn.gym  # noqa: F401  registers the environments


class Policy:
    """The mean of the actions: three layers, as ppo.py saves them."""

    def __init__(self, path: str) -> None:
        self.arrays = dict(np.load(path, allow_pickle=False))

    def __call__(self, x: np.ndarray) -> np.ndarray:
        a = self.arrays
        spread = np.sqrt(np.maximum(a["square"] - a["mean"] ** 2, 1e-4))
        x = np.clip((x - a["mean"]) / spread, -8.0, 8.0)
        for k in (0, 2, 4):
            x = x @ a[f"actor.{k}.weight"].T + a[f"actor.{k}.bias"]
            x = np.tanh(x) if k < 4 else x
        return x


def replay(policy: Policy, path: str) -> None:
    """Ten seconds of one robot on the plane, as a page that plays in any browser."""
    envs = gymnasium.make_vec("rbdyn/QuadrupedWalk-v0", 1, "vector_entry_point")
    x, _ = envs.reset(seed=1)
    recorder = envs.unwrapped.task.worlds[0].record(every=8, contacts=True)
    for _ in range(499):
        x, *_ = envs.step(policy(x))
    recorder.stop().save(path, show=["contacts"])


def main() -> None:
    """Ten seconds of 16 robots, on the plane and on hills."""
    parser = argparse.ArgumentParser(description="Watch a policy that was learnt.")
    parser.add_argument("policy", help="the .npz file that benchmarks.learning.ppo wrote")
    parser.add_argument("--html", help="write a page that plays the first robot on the plane")
    given = parser.parse_args()
    policy = Policy(given.policy)
    if given.html:
        replay(policy, given.html)
    for name in ("rbdyn/QuadrupedWalk-v0", "rbdyn/QuadrupedWalkRough-v0"):
        envs = gymnasium.make_vec(name, 16, "vector_entry_point")
        x, _ = envs.reset(seed=1)
        up, total = np.ones(16, bool), np.zeros(16)
        far = np.zeros(16)
        for _ in range(499):
            x, reward, terminated, _, info = envs.step(policy(x))
            total += reward * up
            far = np.where(up, info["distance"], far)
            up &= ~terminated
        print(f"{name}: {up.sum()} of 16 stand after 10 s; they went {far.mean():.2f} m on average, "
              f"{far.min():.2f} to {far.max():.2f}; return {total.mean():.0f}")  # fmt: skip


if __name__ == "__main__":
    main()
