"""Adversarial geometric queries in processes of their own: one that hangs or dies is named, and the rest goes on."""

import mmap
import os
import signal
import struct
import time
import traceback

import numpy as np
from queries import FAMILIES, Clock

ROWS = 500  # a scene
SCENES = 20  # a process
PATIENCE = 300  # seconds by the clock for one scene, after which the process ends: no query answers to Python signals


def scene(name: str, seed: int, number: int, rows: int = ROWS, clock=None) -> list[str]:
    """What is wrong with the answers of one scene."""
    family, _ = FAMILIES[name]
    return family(np.random.default_rng([seed, number, *name.encode()]), rows, clock or Clock())


def several(name: str, seed: int, numbers: range, rows: int, shared: mmap.mmap) -> None:
    """Ask some scenes; `shared` knows the one that is asked, how many lines are wrong, the slowest query and all."""
    clock, failed = Clock(), 0
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for number in numbers:
        signal.alarm(PATIENCE)
        struct.pack_into("qqdd", shared, 0, number, failed, clock.slowest, clock.all)
        try:
            lines = scene(name, seed, number, rows, clock)
        except Exception:
            lines = [traceback.format_exc(limit=-3)]
        for line in lines:
            print(f"{name}:{number}: {line}", flush=True)
        failed += len(lines)
    struct.pack_into("qqdd", shared, 0, number, failed, clock.slowest, clock.all)


def run(count: int, seed: int, names: list[str]) -> int:
    """Ask `count` queries, shared among families; print what is found of each.  How many answers are wrong."""
    shared, start, total, failures = mmap.mmap(-1, 32), time.monotonic(), 0, 0
    for name in names:
        answers = FAMILIES[name][1]
        scenes = -(-count // (len(names) * ROWS * answers))
        failed, slowest, asked = 0, 0.0, 0.0
        for first in range(0, scenes, SCENES):
            numbers = range(first, min(first + SCENES, scenes))
            shared[:] = b"\0" * 32
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    several(name, seed, numbers, ROWS, shared)
                    code = 0
                finally:
                    os._exit(code)
            _, status = os.waitpid(child, 0)
            number, wrong, slow, spent = struct.unpack("qqdd", shared[:])
            if status:
                print(f"{name}:{number}: the process ended with {status}", flush=True)
                wrong += 1
            failed, slowest, asked = failed + wrong, max(slowest, slow), asked + spent
        queries = scenes * ROWS * answers
        total, failures = total + queries, failures + failed
        print(f"{name}: {queries:,} queries, {failed} wrong, {1e6 * asked / queries:.1f} us each, "
              f"the slowest {1e3 * slowest:.2f} ms", flush=True)  # fmt: skip
    print(f"{total:,} queries, {failures} wrong, in {time.monotonic() - start:.0f} s")
    return failures
