"""pytest plugin: which test reaches which mutant, and runs of chosen tests in a chosen order.

RBDYN_MUTANT_MAP is a file with one byte for each mutant, which the library sets where it asks whether a mutant is on.
With RBDYN_MUTANT_REACH, what each test reached is written there; with RBDYN_MUTANT_TESTS, only the tests listed in that
file run, in its order.
"""

import json
import os
import pathlib
import time

import pytest

MAP, REACH, TESTS = (os.environ.get(f"RBDYN_MUTANT_{name}") for name in ("MAP", "REACH", "TESTS"))
tests, files, failed = {}, {}, []


def reached():
    """Numbers seen since the last call."""
    if not MAP:
        return []
    with pathlib.Path(MAP).open("r+b") as file:
        seen = file.read()
        file.seek(0)
        file.write(bytes(len(seen)))
    return [k for k, byte in enumerate(seen) if byte]


def of_file(nodeid, numbers):
    files.setdefault(nodeid.split("::")[0], set()).update(numbers)


def pytest_collectreport(report):
    of_file(report.nodeid, reached())


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    """What a fixture of many tests reaches, all of them reach."""
    before = reached()
    result = yield
    numbers = reached()
    if fixturedef.scope != "function":
        of_file(request.node.nodeid, numbers)
    tests.setdefault(request._pyfuncitem.nodeid, [0.0, set()])[1].update([*before, *numbers])
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    start = time.perf_counter()
    result = yield
    entry = tests.setdefault(item.nodeid, [0.0, set()])
    entry[0] = time.perf_counter() - start
    entry[1].update(reached())
    return result


def pytest_runtest_logreport(report):
    if report.failed:
        failed.append(report.nodeid)


def pytest_collection_modifyitems(items):
    if TESTS:
        order = {nodeid: k for k, nodeid in enumerate(json.loads(pathlib.Path(TESTS).read_text()))}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])


def pytest_sessionfinish():
    if REACH:
        found = {
            "tests": {name: [seconds, sorted(numbers)] for name, (seconds, numbers) in tests.items()},
            "files": {name: sorted(numbers) for name, numbers in files.items()},
            "failed": failed,
        }
        pathlib.Path(REACH).write_text(json.dumps(found))
