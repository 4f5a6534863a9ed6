"""Changes one term at a time in the compiled code and asks the tests: `make mutate`, or `python tests/mutation --help`.

Every .pyx and .pxd with functions that are declared nogil is looked through for signs, terms, factors, comparisons,
constants, operands, fields and statements that can be changed.  The chosen changes are compiled all at once into a copy
of the repository, each behind a switch that a variable of the environment throws, so that one build serves them all.
A run without any tells which test reaches which change; then each meets the tests that reach it, quick ones first.

Results go to a file, one JSON line a change; what stands there is not tried again, so that a run may be interrupted.
Changes that cannot matter are listed in equivalent.txt, by what they change, not by line, with the reason why.
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import hashlib
import json
import pathlib
import sys

from workshop import HERE, ROOT, Workshop, all_mutants

ALIVE = {"survived", "unreached"}


def arguments():
    parser = argparse.ArgumentParser(prog="tests/mutation", description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", metavar="PATTERN", action="append", help="files like 'contact/*', or function names")
    parser.add_argument("--count", type=int, default=160, help="how many changes to try (160)")
    parser.add_argument("--seed", type=int, default=0, help="which ones: another number, another choice (0)")
    parser.add_argument("--tests", nargs="+", default=["tests"], metavar="PATH", help="tests to ask (all but a few)")
    parser.add_argument("--patience", type=float, default=60, help="seconds of tests that one change is worth (60)")
    parser.add_argument("--again", action="store_true", help="also try what the results hold already")
    parser.add_argument("--survivors", action="store_true", help="try those again that survived")
    parser.add_argument("--list", action="store_true", help="print the chosen changes, and do nothing")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "build" / "mutants.jsonl")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build" / "mutants")
    return parser.parse_args()


def choose(options, known):
    """The changes to try: functions by turns, so that none is forgotten for the sake of a long one."""
    rank, ranked = collections.Counter(), []
    everything = all_mutants()
    for mutant in sorted(everything, key=lambda m: drawn(m.key, options.seed)):
        s = mutant.statement
        rank[s.path, s.function] += 1
        ranked.append((rank[s.path, s.function], mutant))
    ranked.sort(key=lambda pair: pair[0])
    chosen = [
        m
        for _, m in ranked
        if not options.only
        or any(fnmatch.fnmatch(text, p) for p in options.only for text in (m.statement.path, m.statement.function))
    ]
    if options.survivors:
        return [m for m in chosen if known.get(m.key) in ALIVE], len(everything)
    chosen = chosen[: options.count]
    return [m for m in chosen if options.again or m.key not in known], len(everything)


def drawn(key, seed):
    """A number that looks random and is the same everywhere."""
    return hashlib.sha256(f"{seed} {key}".encode()).digest()


def equivalents():
    """Keys of the changes that cannot matter; each is followed by an indented reason."""
    lines = (HERE / "equivalent.txt").read_text().splitlines()
    return {line.strip() for line in lines if line and not line.startswith(("#", " "))}


def main():
    options = arguments()
    known = {}
    if options.results.exists():
        for line in options.results.read_text().splitlines():
            result = json.loads(line)
            known[result["key"]] = result["status"]
    chosen, total = choose(options, known)
    if options.list:
        for mutant in chosen:
            print(f"{mutant.place} {mutant.what}: {mutant.was}  =>  {mutant.now}")
        return 0
    options.results.parent.mkdir(parents=True, exist_ok=True)
    same = equivalents()
    say(f"{total} changes are possible, {len(chosen)} are to be tried")
    with options.results.open("a") as file:

        def note(mutant, status, by=""):
            known[mutant.key] = status
            entry = {"place": mutant.place, "key": mutant.key, "what": mutant.what, "status": status, "by": by}
            file.write(json.dumps(entry) + "\n")
            file.flush()

        for mutant in chosen:
            if mutant.key in same:
                note(mutant, "equivalent")
        trials(options, [m for m in chosen if m.key not in same], note)
    return report(chosen, known)


def trials(options, chosen, note):
    if not chosen:
        return
    workshop = Workshop(options.scratch, options.tests)
    say(f"copying to {workshop.folder}, compiling")
    workshop.copy()
    for mutant in workshop.build(chosen):
        note(mutant, "does not compile")
    say("running all tests without a change")
    workshop.measure()
    for name in workshop.failing:
        print(f"fails without any change, and counts for nothing: {name}")
    for done, (number, status, by) in enumerate(workshop.trials(options.patience), 1):
        mutant = workshop.numbered[number]
        note(mutant, status, by)
        say(f"{done}/{len(workshop.numbered)} {status}: {mutant.place} {mutant.what}")


def say(text):
    """Progress, where somebody watches."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text[:150]}", end="", file=sys.stderr, flush=True)


def report(chosen, known):
    """Print what survived; 1 if anything did."""
    say("")
    count = collections.Counter(known[m.key] for m in chosen if m.key in known)
    for mutant in chosen:
        if known.get(mutant.key) in ALIVE:
            print(f"{mutant.place} in {mutant.statement.function} {known[mutant.key]}, {mutant.what}:")
            print(f"    {mutant.was}\n    {mutant.now}")
    print(", ".join(f"{number} {status}" for status, number in count.most_common()) or "nothing to try")
    return 1 if any(known.get(m.key) in ALIVE for m in chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
