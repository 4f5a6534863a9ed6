"""Plain aligned tables, and the mark beside a target."""

from __future__ import annotations

from collections.abc import Sequence


def show(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: first column left, others right."""
    widths = [max(len(row[k]) for row in (header, *rows)) for k in range(len(header))]
    print(f"\n{title}")
    for row in (header, ["-" * width for width in widths], *rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        print("  ".join(cells).rstrip())


def number(x: float | None, digits: int = 3) -> str:
    """A figure to some significant digits; "-" for none."""
    if x is None:
        return "-"
    if x == 0.0 or 1e-3 <= abs(x) < 1e5:
        return f"{x:.{digits}g}" if abs(x) < 10 ** (digits - 1) else f"{x:.0f}"
    return f"{x:.{max(digits - 2, 0)}e}"


def verdict(ratio: float | None, target: float | None) -> str:
    """The target, and whether a ratio meets it."""
    if target is None:
        return "-"
    if ratio is None:
        return f"{target:g}x ?"
    return f"{target:g}x {'met' if ratio >= target else 'MISSED'}"
