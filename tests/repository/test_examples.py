"""Every example runs, by itself, in a process of its own, and prints something; so does the README's."""

import functools
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
README = (ROOT / "README.md").read_text()


def output(*command):
    """What a fresh interpreter prints; warnings are errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_there_are_examples():
    assert len(EXAMPLES) >= 5


@functools.cache
def run_example(path):
    """What an example prints when it is run as a program, once, in a tree that need not be installed."""
    return output("-c", f"import runpy; runpy.run_path({str(path)!r}, run_name='__main__')")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path):
    assert run_example(path).strip()
    text = path.read_text()
    title, line = re.match(r'"""(.*)\n(=+)\n\n', text).groups()  # the heading of its page in the gallery
    assert len(title) == len(line)
    assert len(text.split('"""', 2)[2].splitlines()) <= 80


def test_cradle_passes_the_blow_on():
    """The last ball alone swings up, as high as the first was."""
    lines = run_example(ROOT / "examples" / "newtons_cradle.py").splitlines()
    heights = [float(x) for x in re.search(r"\[(.*?)\]", lines[-2])[1].split()]
    assert heights == pytest.approx([0, 0, 0, 0, 1 - np.cos(0.5)], abs=3e-4)


def test_the_minitaur_stands_on_its_closed_legs():
    """Balls of 1 cm at the ends of shins that meet 0.2 sin(2.2) m below the motors; motors give way a little."""
    line = run_example(ROOT / "examples" / "minitaur.py").splitlines()[-1]
    base, *feet, gap = (float(x) for x in re.findall(r"[0-9.]+(?:e-[0-9]+)?", line))
    assert feet == pytest.approx([0.01] * 4, abs=1e-3)
    assert base == pytest.approx(0.01 + 0.2 * np.sin(2.2), abs=5e-3)
    assert gap < 1e-9


def test_own_solver_agrees_with_the_closed_form():
    """v^2 / (2 mu g) = 0.50968 m, up to half a step's way."""
    lines = run_example(ROOT / "examples" / "own_contact_solver.py").splitlines()
    mine, builtin, exact = (float(line.split()[-2]) for line in lines)
    assert exact == pytest.approx(0.50968, abs=1e-5)
    assert mine == pytest.approx(exact, abs=3e-3)
    assert builtin == pytest.approx(exact, abs=3e-3)


def test_soft_contact_rests_on_its_springs_and_damps():
    """m g / (4 k) deep; without a damper it rebounds as an implicit step leaves it, 0.2 exp(-h w^2 * half a period)."""
    lines = run_example(ROOT / "examples" / "soft_contact.py").splitlines()
    depth, exact = (float(x) for x in re.findall(r"([\d.]+) mm", lines[0]))
    assert depth == pytest.approx(exact, rel=1e-4) and exact == pytest.approx(1e3 * 2.0 * 9.81 / 2e4, abs=1e-4)
    rebounds = [float(line.split()[-2]) for line in lines[1:]]
    assert rebounds[0] == pytest.approx(0.2 * np.exp(-2 * 0.5 * 1e-3 * 1e4 * np.pi / 100.0), rel=0.02)
    assert rebounds[0] > 3.0 * rebounds[1] > 9.0 * rebounds[2] > 0.0


def test_double_pendulum_keeps_its_energy():
    lines = run_example(ROOT / "examples" / "double_pendulum.py").splitlines()
    energies = [float(re.search(r"energy (\S+)", line)[1]) for line in lines]
    assert len(energies) == 6 and abs(energies[0]) > 1.0
    assert energies == pytest.approx([energies[0]] * 6, abs=1e-6)


def test_readme_example_does_what_it_says():
    """The first Python block of the README runs and prints what the comment beside its print says."""
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    said = re.search(r"print\(.*#\s*(.+)$", code, re.MULTILINE)[1]
    assert output("-c", code).strip() == said.strip()
    lines = [line for line in code.splitlines() if line.strip()]
    assert len(lines) <= 10


PAGES = (
    "batch",
    "contact",
    "friction",
    "learning",
    "loops",
    "raisim_files",
    "sight",
    "sweeps",
    "tutorial",
    "vector_worlds",
    "viewing",
)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_does_what_it_says(page):
    """Its Python blocks, run as one program, print what the comments beside the prints say."""
    if page == "learning":
        pytest.importorskip("gymnasium")
    code = "\n".join(re.findall(r"```python\n(.*?)```", (ROOT / "docs" / f"{page}.md").read_text(), re.DOTALL))
    said = re.findall(r"^print\(.*#\s*(.+)$", code, re.MULTILINE)
    assert len(said) >= 3
    assert output("-c", code).splitlines() == said


def test_every_line_of_the_cheat_sheet_runs():
    """In its order, in one program, after what stands at its top."""
    text = (ROOT / "docs" / "cheat_sheet.md").read_text()
    lines = re.findall(r"^\| .*? \| `(.*)` \|$", text, re.MULTILINE)
    assert len(lines) == text.count("\n| ") - text.count("\n| wanted |") and len(lines) > 50
    output("-c", "\n".join([re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], *lines]))


def test_readme_starts_with_two_commands():
    """What a newcomer types first: `make demo` and `make test`, nothing else in that block."""
    block = re.search(r"```(?:sh|bash)\n(.*?)```", README, re.DOTALL)[1]
    commands = [line.split("#")[0].strip() for line in block.splitlines()]
    assert commands == ["make demo", "make test"]


def test_links_between_documents_lead_somewhere():
    """Relative links in the Markdown files."""
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text()):
            assert (document.parent / link).exists(), f"{document.name}: {link}"


def test_the_planner_converges_and_arrives():
    """Quadratically: the cost stands still to the fourth place after six iterations."""
    costs, line = run_example(ROOT / "examples" / "ilqr.py").splitlines()
    costs = [float(x) for x in costs.split()[1:]]
    assert costs == sorted(costs, reverse=True) and costs[0] > 3.0 * costs[-1]
    assert costs[5] == costs[-1]
    assert float(re.search(r"ends ([0-9.]+) mm", line)[1]) < 30.0


def test_a_thousand_samples_follow_a_circle():
    """Of 20 cm about a point that the hand was 30 cm away from."""
    lines = run_example(ROOT / "examples" / "mppi_arm.py").splitlines()
    errors = [float(re.search(r"is ([0-9]+) mm", line)[1]) for line in lines]
    assert len(errors) == 5 and max(errors[1:]) < 40.0 < errors[0]
