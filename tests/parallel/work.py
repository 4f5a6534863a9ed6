"""What sweeps in the tests call: worker processes import this module."""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
from parallel.fleets import walker


def noise(item, rng):
    """Something of each kind that depends on the parameters and the random numbers."""
    x = rng.normal(size=3)
    return {"item": item, "x": x, "sum": float(x.sum()) * item, "pair": (item, None), 7: [True, np.float32(0.1)]}


def height(item, rng):
    """A quadruped that drops, with a mass and a push by chance: its state."""
    world = walker()
    robot = world.find("quadruped")
    robot.body("base").mass = item["mass"]
    robot.set_external_force("base", rng.normal(0, 100, 3))
    world.step(item["steps"])
    return {"q": robot.q, "hash": world.state_hash()}


def fail_at(item, rng):
    """Every third one raises."""
    if item % 3 == 1:
        raise ValueError(f"no {item}")
    return item


def die_once(item, rng):
    """The process of one of them is killed, the first time."""
    mark = Path(item["folder"]) / "died"
    if item["k"] == item["dies"] and not mark.exists():
        mark.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    return item["k"] ** 2


def die(item, rng):
    """The process of number 3 is killed, each time."""
    if item == 3:
        os._exit(3)
    return item


def slow(item, rng):
    """Says that it began, and takes some time."""
    Path(item["folder"], f"began_{item['k']}").write_text("")
    time.sleep(item["sleep"])
    return rng.normal(size=2)


def stream(item, rng):
    """One result that nobody can pack."""
    return (k for k in range(3)) if item == 2 else item


def tell(item, rng):
    """Says which process it is, and stays."""
    Path(item["folder"], f"pid_{os.getpid()}").write_text("")
    time.sleep(1000)


def unreadable(item, rng):
    """One result that can be packed, and not be unpacked."""
    return Unreadable() if item == 1 else item


class Unreadable:
    """What says that it is made of something that raises."""

    def __reduce__(self):
        return int, ("no number",)


def main():
    """A client that is to be killed half-way: python -m parallel.work folder [file of a scheduler]."""
    import rbdyn

    folder = sys.argv[1]
    items = [{"k": k, "folder": folder, "sleep": 0.05} for k in range(12)]
    given = {"seed": 3, "resume": Path(folder) / "done.jsonl"}
    if len(sys.argv) < 3:
        rbdyn.sweep(slow, items, workers=0, **given)
        return
    from distributed import Client

    with Client(scheduler_file=sys.argv[2]) as client:
        rbdyn.sweep(slow, items, client.get_executor(), chunk=1, **given)


if __name__ == "__main__":
    from parallel import work  # the function's name is to be that of the module

    slow = work.slow
    main()
