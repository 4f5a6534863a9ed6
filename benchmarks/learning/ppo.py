"""Proximal policy optimisation (J. Schulman et al., 2017) on a vector environment of rbdyn, with PyTorch.

A small one, in the manner of CleanRL's: two tanh networks, generalised advantages, clipped steps, running means of
observations.  The quadruped walks after some minutes on two cores:

    python -m benchmarks.learning.ppo --minutes 10 --out walk

writes walk.csv (steps, minutes, mean return, mean speed) and walk.npz (the policy, as arrays).
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path

import gymnasium
import numpy as np
import torch
from torch import nn

import rbdyn.gym  # noqa: F401  registers the environments

HORIZON, EPOCHS, MINIBATCHES = 32, 4, 4
GAMMA, LAMBDA, CLIP, VALUE, NORM = 0.98, 0.95, 0.2, 0.5, 1.0
NOISE = 0.5, 0.1  # deviation of the actions, at first and in the end: what walks by its noise alone falls without it


def layers(inputs: int, outputs: int, scale: float) -> nn.Sequential:
    """Two hidden layers of 128, orthogonal at first."""
    net = nn.Sequential(nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, outputs))
    for layer, gain in zip(net[::2], (2**0.5, 2**0.5, scale), strict=True):
        nn.init.orthogonal_(layer.weight, gain)
        nn.init.zeros_(layer.bias)
    return net


class Agent(nn.Module):
    """A normal distribution of actions, and a value, of observations that are brought to mean 0 and deviation 1."""

    def __init__(self, observations: int, actions: int) -> None:
        super().__init__()
        self.actor, self.critic = layers(observations, actions, 0.01), layers(observations, 1, 1.0)
        self.register_buffer("log_std", torch.full((actions,), NOISE[0]).log())
        self.register_buffer("mean", torch.zeros(observations))
        self.register_buffer("square", torch.ones(observations))
        self.count = 1e-2

    def seen(self, x: torch.Tensor) -> torch.Tensor:
        return ((x - self.mean) / (self.square - self.mean**2).clamp(1e-4).sqrt()).clamp(-8.0, 8.0)

    def learn_scale(self, x: torch.Tensor) -> None:
        self.count += len(x)
        share = len(x) / self.count
        self.mean += share * (x.mean(0) - self.mean)
        self.square += share * ((x**2).mean(0) - self.square)

    def judge(self, x: torch.Tensor, actions: torch.Tensor | None = None):
        """Actions, their log-probabilities, and values."""
        seen = self.seen(x)
        chance = torch.distributions.Normal(self.actor(seen), self.log_std.exp())
        actions = chance.sample() if actions is None else actions
        return actions, chance.log_prob(actions).sum(1), self.critic(seen)[:, 0]


def advantages(rewards, values, done, last):
    """Generalised: J. Schulman et al. (2016), equation 16."""
    found, ahead = torch.zeros_like(rewards), torch.zeros_like(last)
    for t in reversed(range(len(rewards))):
        follow = last if t + 1 == len(rewards) else values[t + 1]
        delta = rewards[t] + GAMMA * follow * ~done[t] - values[t]
        found[t] = ahead = delta + GAMMA * LAMBDA * ~done[t] * ahead
    return found


def improve(agent, optimiser, x, actions, log_probs, gains, returns):
    """Some passes over what was seen, in small steps."""
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(x)).chunk(MINIBATCHES):
            _, log_prob, value = agent.judge(x[rows], actions[rows])
            ratio, gain = (log_prob - log_probs[rows]).exp(), gains[rows]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            policy = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            loss = policy + VALUE * ((value - returns[rows]) ** 2).mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), NORM)
            optimiser.step()


def train(name: str, minutes: float, num_envs: int = 128, threads: int = 2, seed: int = 0, out: Path | None = None):
    """The agent, and a row (steps, minutes, mean return, mean speed) for each hundredth of the time."""
    torch.manual_seed(seed)
    envs = gymnasium.make_vec(name, num_envs, "vector_entry_point", threads=threads, autoreset_mode="SameStep")
    agent = Agent(envs.single_observation_space.shape[0], envs.single_action_space.shape[0])
    optimiser = torch.optim.Adam(agent.parameters(), lr=1e-3, eps=1e-5)
    x, _ = envs.reset(seed=seed)
    began, steps, rows, ended = time.perf_counter(), 0, [], []
    returns_now = np.zeros(num_envs)
    while (spent := (time.perf_counter() - began) / 60.0) < minutes:
        share = spent / minutes
        agent.log_std.fill_(np.log(NOISE[0]) * (1.0 - share) + np.log(NOISE[1]) * share)
        for group in optimiser.param_groups:
            group["lr"] = 1e-3 * (1.0 - 0.9 * share)
        kept = [[] for _ in range(6)]
        for _ in range(HORIZON):
            now = torch.from_numpy(x)
            with torch.no_grad():
                actions, log_prob, value = agent.judge(now)
            x, reward, terminated, truncated, info = envs.step(actions.numpy())
            returns_now += reward
            done = terminated | truncated
            if truncated.any():  # the episode would have gone on: its last state is worth what it is worth
                final = torch.from_numpy(np.stack(info["final_obs"][truncated]))
                with torch.no_grad():
                    reward[truncated] += GAMMA * agent.judge(final)[2].numpy()
            ended += returns_now[done].tolist()
            returns_now[done] = 0.0
            for store, item in zip(kept, (now, actions, log_prob, torch.from_numpy(reward).float(), value,
                                          torch.from_numpy(done)), strict=True):  # fmt: skip
                store.append(item)
        seen, actions, log_probs, rewards, values, dones = map(torch.stack, kept)
        with torch.no_grad():
            gains = advantages(rewards, values, dones, agent.judge(torch.from_numpy(x))[2])
        flat = [item.flatten(0, 1) for item in (seen, actions, log_probs, gains, gains + values)]
        agent.learn_scale(flat[0])
        improve(agent, optimiser, *flat)
        steps += HORIZON * num_envs
        if ended and spent >= minutes * len(rows) / 100:
            speed = float(np.mean(info["speed"])) if "speed" in info else float("nan")
            rows.append((steps, spent, float(np.mean(ended[-200:])), speed))
            print("steps {:8d}  minutes {:5.2f}  return {:7.1f}  speed {:5.2f}".format(*rows[-1]), file=sys.stderr)
            if out is not None:
                save(agent, rows, out)
    return agent, rows


def save(agent: Agent, rows: list[tuple], out: Path) -> None:
    """The curve as CSV, the policy as arrays."""
    with out.with_suffix(".csv").open("w", newline="") as file:
        csv.writer(file).writerows([("steps", "minutes", "return", "speed"), *rows])
    arrays = {name: value.numpy() for name, value in agent.state_dict().items() if not name.startswith("critic")}
    np.savez(out.with_suffix(".npz"), **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a policy by PPO.")
    parser.add_argument("--env", default="rbdyn/QuadrupedWalk-v0")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--num-envs", type=int, default=128)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    train(given.env, given.minutes, given.num_envs, given.threads, given.seed, given.out)


if __name__ == "__main__":
    main()
