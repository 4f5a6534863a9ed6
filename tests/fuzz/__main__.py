"""Wrong inputs for every reader of files, geometric queries with ties: `make fuzz`, or `python tests/fuzz --help`.

Each input is made of a right one by a few changes and given to its reader, which must read finite numbers or raise an
error of ours, within seconds of processor and 1 GB, and without a crash.  Readers run in processes of their own, so
that one that dies says which input it was.  An input is known by its reader, the seed and its number: READER:NUMBER
repeats it.

Geometric queries (queries.py) are compared with definitions of the shapes.  A family makes scenes of 500; FAMILY:NUMBER
repeats one.
"""

import argparse
import collections
import mmap
import os
import signal
import struct
import sys
import time
import traceback
import warnings
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # surfaces.py
import run_queries  # noqa: E402
from mutate import mutant  # noqa: E402
from queries import FAMILIES  # noqa: E402
from readers import READERS, Folder, ask  # noqa: E402

BATCH = 2000  # inputs a process
SECONDS = 5  # of processor for one of them
PATIENCE = 120  # seconds by the clock
MEMORY = 1 << 30  # bytes that a process may take beyond what it has at first


def arguments():
    parser = argparse.ArgumentParser(prog="tests/fuzz", description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=100_000, help="how many inputs, over all readers (100,000)")
    parser.add_argument("--queries", type=int, default=1_000_000, help="how many geometric queries (1,000,000)")
    parser.add_argument("--seed", type=int, default=0, help="another seed makes other inputs (0)")
    parser.add_argument("--only", action="append", choices=[*READERS, *FAMILIES], help="all by default")
    parser.add_argument("--repeat", metavar="NAME:NUMBER", help="one input, which is printed, or one scene")
    return parser.parse_args()


class Late(BaseException):
    """A reader takes too long."""


def late(*_):
    raise Late


def batch(reader: str, seed: int, first: int, count: int, shared: mmap.mmap) -> None:
    """Give inputs to a reader, in a process of its own; what goes wrong is printed, and counted in `shared`."""
    limit_memory()
    warnings.simplefilter("error", RuntimeWarning)  # of numpy's, on what is no number
    signal.signal(signal.SIGALRM, late)
    signal.signal(signal.SIGPROF, late)
    counts = collections.Counter()
    with Folder() as folder:
        read_all(reader, seed, range(first, first + count), folder, counts, shared)
    struct.pack_into("qqq", shared, 8, counts["read"], counts["refused"], counts["failed"])


def read_all(reader: str, seed: int, numbers: range, folder: Folder, counts: collections.Counter, shared) -> None:
    """Count what becomes of inputs; `shared` always knows the one that is being read."""
    for number in numbers:
        struct.pack_into("q", shared, 0, number)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.alarm(PATIENCE)
        try:
            counts[ask(reader, mutant(reader, seed, number), folder)] += 1
        except Late:
            counts["failed"] += 1
            print(f"{reader}:{number}: more than {SECONDS} s of processor", flush=True)
        except BaseException:
            counts["failed"] += 1
            print(f"{reader}:{number}: {traceback.format_exc(limit=-3)}", flush=True)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.alarm(0)


def limit_memory() -> None:
    import resource

    now = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
    resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def main() -> int:
    options = arguments()
    if options.repeat:
        reader, _, number = options.repeat.partition(":")
        if reader in FAMILIES:
            print("\n".join(run_queries.scene(reader, options.seed, int(number))))
            return 0
        data = mutant(reader, options.seed, int(number))
        print(data)
        with Folder() as folder:
            print(ask(reader, data, folder))
        return 0
    asked = options.only or [*READERS, *FAMILIES]
    families, names = ([name for name in asked if name in known] for known in (FAMILIES, READERS))
    failures = run_queries.run(options.queries, options.seed, families) if families else 0
    return 1 if (read_wrong_inputs(options, names) if names else 0) + failures else 0


def read_wrong_inputs(options, names: list[str]) -> int:
    """Give readers wrong inputs; how many went wrong."""
    shared = mmap.mmap(-1, 32)
    total, start = collections.Counter(), time.monotonic()
    shares = {name: [0, 0] for name in names}
    each = options.count // len(names)
    for first in range(0, each, BATCH):
        for reader in names:
            count = min(BATCH, each - first)
            shared[:] = b"\0" * 32
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    batch(reader, options.seed, first, count, shared)
                    code = 0
                finally:
                    os._exit(code)
            _, status = os.waitpid(child, 0)
            number, read, refused, failed = struct.unpack("4q", shared[:])
            if status:
                print(f"{reader}:{number}: the process ended with {status}", flush=True)
                failed += 1
            shares[reader][0] += read
            shares[reader][1] += count
            total.update(read=read, refused=refused, failed=failed)
        done = total["read"] + total["refused"] + total["failed"]
        rate = done / (time.monotonic() - start)
        print(f"{done:,} inputs: {total['read']:,} read, {total['refused']:,} refused, {total['failed']:,} failed; "
              f"{rate:,.0f}/s", flush=True)  # fmt: skip
    print("read of each: " + ", ".join(f"{name} {100 * a / b:.0f} %" for name, (a, b) in shares.items()))
    return total["failed"]


if __name__ == "__main__":
    sys.exit(main())
