"""The migration pages: every name of the other library is mapped once, and every expression runs."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ("rdl", "rigidbodydynamics", "raisim")  # every name of these is mapped
COMING = ("mujoco", "pinocchio", "pybullet")  # some thirty lines of these
HEADS = r"RDL|RigidBodyDynamics\.jl|RaiSim|MuJoCo|Pinocchio|PyBullet"
TABLE = re.compile(rf"^\| (?:{HEADS}) \| rbdyn \| notes \|\n\|[-|]+\|\n((?:\|.*\n)+)", re.MULTILINE)

NOT_HERE = set((ROOT / "tests" / "repository" / "names_raisim_not_here.txt").read_text().split())


def text(page):
    return (ROOT / "docs" / "migration" / f"{page}.md").read_text("utf-8")


def setup(page):
    return re.search(r"```python\n(.*?)```", text(page), re.DOTALL)[1]


def code(cell):
    return re.findall(r"`([^`]+)`", cell)


def rows(page):
    """(names, expressions) of every row of the tables of names."""
    for table in TABLE.findall(text(page)):
        for line in table.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            assert len(cells) == 3, line
            yield code(cells[0]), code(cells[1])


def listed(page):
    """The names that a page must map."""
    return (ROOT / "tests" / "repository" / f"names_{page}.txt").read_text().split()


def expressions():
    for page in (*PAGES, *COMING):
        for _, found in rows(page):
            for expression in found:
                yield pytest.param(page, expression, id=f"{page}: {expression[:60]}")


@pytest.mark.parametrize("page", PAGES)
def test_every_name_is_mapped_once(page):
    mapped = [name for names, _ in rows(page) for name in names]
    assert len(listed(page)) > 25
    assert len(mapped) == len(set(mapped)), sorted(name for name in mapped if mapped.count(name) > 1)
    assert set(listed(page)) <= set(mapped), sorted(set(listed(page)) - set(mapped))


@pytest.mark.parametrize("page", (*PAGES, *COMING))
def test_every_row_has_an_expression(page):
    for names, found in rows(page):
        assert names and (found or set(names) <= NOT_HERE)


@pytest.mark.parametrize("page", COMING)
def test_coming_from_is_some_thirty_lines(page):
    assert 28 <= len(list(rows(page))) <= 40


@pytest.mark.parametrize("page, expression", list(expressions()))
def test_expression_runs(page, expression):
    names = {}
    exec(setup(page), names)
    exec(expression, names)
