"""A scratch copy of the repository in which mutants are built and tested; the sources themselves are never touched."""

from __future__ import annotations

import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from weave import DECLARATION, SWITCH, mutants, woven

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = ("rbdyn", "collision", "contact", "io")
COPIED = (*FOLDERS, "build", "tests", "examples", "docs", "setup.py", "pyproject.toml", "README.md", "Makefile")
LEFT_OUT = ("mutation", "repository")  # tests that look at sources, build packages or run this script


def sources(root=ROOT):
    """Path -> text of every Cython source."""
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for folder in FOLDERS
        for path in sorted((root / folder).rglob("*.p[xy][dx]"))
    }


class Workshop:
    """Builds the chosen mutants all at once, learns which test reaches which, and runs one mutant at a time."""

    def __init__(self, folder, asked=("tests",)):
        self.folder = pathlib.Path(folder).resolve()
        self.asked = asked
        self.map = self.folder / "mutants.map"
        self.numbered = {}
        self.failing = []
        self.tests, self.reach = {}, {}

    def copy(self):
        """The repository as it stands, with what was compiled; files that did not change keep their times."""
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                for path in source.rglob("*"):
                    inside = path.relative_to(ROOT)
                    if path.is_file() and self.folder not in path.parents and "__pycache__" not in inside.parts:
                        self.update(path, self.folder / inside)
            elif source.exists():
                self.update(source, self.folder / name)
        for name in (*FOLDERS, "tests"):
            for path in (self.folder / name).rglob("*"):
                if path.is_file() and not (ROOT / path.relative_to(self.folder)).exists():
                    path.unlink()
        self.write("rbdyn/spatial/mutant.h", SWITCH)
        self.write("rbdyn/mutant.pxd", DECLARATION)

    def update(self, source, target):
        """Copy a file that is newer than its copy; Cython sources are written by `build`."""
        if source.suffix in {".pyx", ".pxd"} or (target.exists() and target.stat().st_mtime >= source.stat().st_mtime):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)

    def write(self, name, text):
        """Write a file that is to have another text than now."""
        path = self.folder / name
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def build(self, chosen):
        """Compile with all the chosen mutants; those that do not compile are left out, and returned."""
        bad, texts = [], sources()
        self.numbered = dict(enumerate(chosen, 1))
        for _ in range(20):
            weavings = {}
            for name, text in texts.items():
                here = {k: m for k, m in self.numbered.items() if m.statement.path == name}
                weavings[name] = woven(text, here) if here else text
                self.write(name, weavings[name])
            done = subprocess.run(
                [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
                cwd=self.folder,
                env=os.environ | flags(),
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode == 0:
                return bad
            guilty = {k for k in self.numbered if k in blamed(done.stdout + done.stderr, weavings)}
            if not guilty:
                raise SystemExit(f"the mutants do not compile:\n{(done.stdout + done.stderr)[-4000:]}")
            bad += [self.numbered.pop(k) for k in sorted(guilty)]
        raise SystemExit("the mutants do not compile, whatever is left out")

    def measure(self):
        """Run all tests without a mutant, and note which mutants each reaches."""
        self.map.write_bytes(bytes(5 + max(self.numbered, default=0)))
        found = self.folder / "reach.json"
        self.pytest(*ignored(), RBDYN_MUTANT_REACH=str(found)).communicate()
        measured = json.loads(found.read_text())
        self.failing = measured["failed"]
        failed = {*self.failing}
        self.tests = {name: seconds for name, (seconds, _) in measured["tests"].items() if name not in failed}
        self.reach = {number: [] for number in self.numbered}
        for name in self.tests:
            for number in {*measured["tests"][name][1], *measured["files"].get(name.split("::")[0], [])}:
                if number in self.reach:
                    self.reach[number].append(name)

    def trials(self, patience):
        """(number, status, the test that found it) of one mutant after the other, as they come."""
        order = {
            number: within(patience, self.tests, in_turn(names, self.tests, self.numbered[number].statement.path))
            for number, names in self.reach.items()
        }
        yield from ((number, "unreached", "") for number, names in order.items() if not names)
        plan, results = self.folder / "plan.json", self.folder / "results.jsonl"
        plan.write_text(
            json.dumps({n: [names, 60 + 10 * sum(map(self.tests.get, names))] for n, names in order.items()})
        )
        results.write_text("")
        process = self.pytest(*ignored(), RBDYN_MUTANT_PLAN=str(plan), RBDYN_MUTANT_RESULTS=str(results))
        with results.open() as file:
            while True:
                ended = process.poll() is not None
                for line in file:
                    yield json.loads(line)
                if ended:
                    break
                time.sleep(0.2)

    def pytest(self, *arguments, **environment):
        """A run of the tests in the copy, with the map of mutants in place."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "plugin",
            "-p",
            "no:cacheprovider",
            "-q",
            *self.asked,
            *arguments,
        ]
        environment["RBDYN_MUTANT_MAP"] = str(self.map)
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=surroundings(environment),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def ignored():
    return [f"--ignore=tests/{name}" for name in LEFT_OUT]


def surroundings(environment):
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    return os.environ | {"PYTHONPATH": path, "SEEDS": "4"} | environment


def flags():
    """Less optimised than what is delivered: compiling takes half the time."""
    return {"RBDYN_CFLAGS": f"{os.environ.get('RBDYN_CFLAGS', '')} -O1 -g0 -w".strip()}


def blamed(text, weavings):
    """Numbers of the mutants on the lines that the compiler names."""
    numbers = set()
    for name, line in re.findall(r"([\w/.]+\.p[xy][dx]):(\d+):\d+", text):
        name = next((n for n in weavings if name.endswith(n) or n.endswith(name.split("build/tree/rbdyn/")[-1])), None)
        lines = weavings[name].split("\n") if name else []
        for k in (int(line) - 1, int(line) - 2):  # in an expression, or in the statement below its switch
            if 0 <= k < len(lines):
                found = re.findall(r"mutated\((\d+)\)", lines[k])
                numbers |= {int(n) for n in found}
                if found:
                    break
    return numbers


def in_turn(names, seconds, path):
    """Tests of the folder named as the source's first, files by turns, in each the fastest first."""
    files = {}
    for name in sorted(names, key=lambda n: seconds[n]):
        files.setdefault(name.split("::")[0], []).append(name)
    words = set(re.split(r"[/._]", path))
    nearest = sorted(files, key=lambda f: (not words & set(re.split(r"[/._]", f)), f))
    order = []
    while any(files.values()):
        for file in nearest:
            order += files[file][:1]
            del files[file][:1]
    return order


def within(patience, seconds, names):
    """As many of the tests as take no longer together; the first in any case."""
    total = list(itertools.accumulate(seconds[name] for name in names))
    return [name for k, name in enumerate(names) if k == 0 or total[k] <= patience]


def all_mutants():
    """Every mutant of the repository, in the order of its files."""
    return [mutant for name, text in sources().items() for mutant in mutants(name, text)]
