"""``check``: what is wrong, odd or missing in robot files."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rbdyn.cli.check.report import MESHES, Report, check_file, sample_pairs
from rbdyn.cli.robot import add_reading, reading
from rbdyn.cli.terminal import say
from rbdyn.errors import Error
from rbdyn.io import save_srdf
from rbdyn.io.formats import READERS

FOUND = 1  # exit code
SAMPLES = 10_000  # configurations, as in MoveIt's setup assistant


def add_to(commands: Any) -> None:
    """Declare the command and its options."""
    text = (
        "report what is wrong, odd or missing in robot files (URDF, xacro, MJCF, SDF), world and material files, "
        "sensor sets and meshes, and what is made of it; the exit code is 1 if a file cannot be accepted"
    )
    command = commands.add_parser("check", help="report faults of robot files", description=text, allow_abbrev=False)
    formats = "a URDF, xacro, MJCF, SDF, world, material, sensor-set or mesh file"
    command.add_argument("files", metavar="FILE", nargs="+", type=Path, help=formats)
    command.add_argument("--json", action="store_true", help="print one JSON document")
    command.add_argument("--strict", action="store_true", help="let warnings count as errors do")
    command.add_argument("--quiet", action="store_true", help="print files with findings only")
    command.add_argument("--fixed", action="store_true", help="fix the base")
    command.add_argument(
        "--no-meshes", action="store_true", help="open no mesh files, and look for no overlaps of links"
    )
    command.add_argument(
        "--samples", metavar="N", type=int, help="list links that always or never collide in N random configurations"
    )
    command.add_argument(
        "--write-srdf", metavar="OUT", type=Path, help="write these pairs as an SRDF; N is 10000 if not given"
    )
    add_reading(command)
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check and print."""
    options: dict[str, Any] = reading(args) | ({"floating": False} if args.fixed else {})
    if args.write_srdf and len(args.files) > 1:
        raise Error(f"--write-srdf takes one robot, got {len(args.files)} files")
    samples = SAMPLES if args.samples is None and args.write_srdf else args.samples
    reports = []
    for file in args.files:
        own = {} if file.suffix.lower() in MESHES else options
        reports.append(check_file(file, not args.no_meshes, own))
        if samples and reports[-1].verdict != "refused":
            _sample(file, reports[-1], samples, args.write_srdf, own)
        if not args.json:
            _print(reports[-1], args.quiet)
    if args.json:
        say(json.dumps([report.as_dict() for report in reports], ensure_ascii=True))
    else:
        _print_total(reports)
    worst = {finding.level for report in reports for finding in report.findings}
    return FOUND if "error" in worst or (args.strict and "warning" in worst) else 0


def _sample(file: Path, report: Report, samples: int, srdf: Path | None, options: dict[str, Any]) -> None:
    """Add pairs of links that always or never collide to a report, and write them."""
    if report.format.lower() not in READERS:
        raise Error(f"{file}: --samples and --write-srdf are for robot files, and this is one of {report.format}")
    mechanism, found = sample_pairs(file, report, samples, options)
    if srdf is not None:
        save_srdf(mechanism, srdf, found.reasons)


def _print(report: Report, quiet: bool) -> None:
    if quiet and not report.findings:
        return
    say(f"{report.file}: {report.verdict}")
    for name, value in report.summary.items():
        counts = value.items() if isinstance(value, dict) else ()
        said = ", ".join(f"{word} {len(what) if isinstance(what, list) else what}" for word, what in counts)
        say(f"  {name}: {said or value}")
    for finding in report.findings:
        say(f"  {finding.level}: {finding.where}{': ' if finding.where else ''}{finding.text}")


def _print_total(reports: list[Report]) -> None:
    if len(reports) > 1:
        count = {v: sum(r.verdict == v for r in reports) for v in ("refused", "read, with warnings", "read")}
        say(f"{len(reports)} files: " + ", ".join(f"{n} {verdict}" for verdict, n in count.items() if n))
