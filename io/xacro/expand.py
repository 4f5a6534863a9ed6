"""``python -m rbdyn.io.xacro.expand``: a task on standard input, the expanded file on standard output."""

from __future__ import annotations

import json
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from rbdyn.errors import PathError
from rbdyn.io.paths import FileFinder

MEMORY = 2 << 30  # bytes


def main() -> int:
    """Expand one file."""
    _limit_memory()
    task = json.load(sys.stdin)
    sys.meta_path.append(RosPackages(FileFinder(Path(task["path"]), task["folders"])))
    import xacro

    arguments = Asked(task["arguments"])
    document = xacro.process_file(task["path"], mappings=arguments)
    for name in sorted(set(task["arguments"]) - arguments.names):
        print(f"argument {name!r} is asked for nowhere", file=sys.stderr)
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(document.toprettyxml(indent=" "))
    return 0


class Asked(dict[str, str]):
    """Arguments that remember who was asked for."""

    def __init__(self, given: dict[str, str]) -> None:
        super().__init__(given)
        self.names: set[str] = set()

    def __contains__(self, name: object) -> bool:
        self.names.add(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        return super().__getitem__(name)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY or most > MEMORY:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, most))


class RosPackages:
    """Stands in for ament_index_python, which xacro asks where $(find NAME) is: it is where package://NAME is.

    An import hook (the finder and loader protocols of importlib), as ROS is not to be had from PyPI.
    """

    NAMES = ("ament_index_python", "ament_index_python.packages")

    def __init__(self, finder: FileFinder) -> None:
        self._finder = finder

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return ModuleSpec(name, self, is_package=name == self.NAMES[0]) if name in self.NAMES else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.get_package_share_directory = self._folder  # type: ignore[attr-defined]

    def _folder(self, name: str) -> str:
        folders = self._finder.package_folders(name)
        if not folders:
            raise PathError(f"unknown package {name!r:.200}: give resource_dirs")
        return str(folders[0])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
