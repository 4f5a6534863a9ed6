"""The machine: one core, one thread, and a line that says what was measured on what."""

from __future__ import annotations

import ctypes.util
import importlib
import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
PACKAGES = ("rbdyn", "numpy", "pin", "mujoco", "drake", "dartpy", "pybullet", "example-robot-data")


def pin_to_one_core() -> None:
    """Stay on one core with one thread.  Call before numpy is imported."""
    for name in THREADS:
        os.environ[name] = "1"
    os.environ["LP_NUM_THREADS"] = "0"  # of Mesa's software rasteriser: draw in the caller's thread
    if ctypes.util.find_library("EGL"):
        os.environ.setdefault("MUJOCO_GL", "egl")  # MuJoCo reads it when it is imported
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def optional(module: str) -> Any | None:
    """A module if it is installed, else None."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{package} from source" if package == "rbdyn" else f"no {package}"


def describe() -> str:
    """Processor, Python and package versions."""
    packages = ", ".join(_version(name) for name in PACKAGES)
    march = os.environ.get("RBDYN_MARCH")
    build = f"; RBDYN_MARCH={march}" if march else ""
    return f"{_processor()}, one core, one thread; Python {platform.python_version()}; {packages}{build}"
