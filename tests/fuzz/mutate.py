"""Wrong inputs made of right ones; which one comes depends on the reader, the seed and the number alone."""

import random
import re

from seeds import SEEDS, TOKENS

LONGEST = 30_000  # bytes
NUMBER = re.compile(rb"(?<![A-Za-z0-9_.-])-?[0-9]+(?:\.[0-9]+)?")
QUOTED = re.compile(rb"""(\w+)=["']([^"'<>]*)["']""")
WORDS = "0 1 -1 2 3 7 0.5 -0 1e-9 1e-320 1e9 1e29 1e30 1e31 1e300 1e308 -1e308 4294967295 2147483648 65536"
NUMBERS = [word.encode() for word in f"{WORDS} 3.14159265358979 1.5707963267948966".split()]


def mutant(reader: str, seed: int, number: int) -> bytes:
    """Input `number` of a reader."""
    rng = random.Random(f"{reader} {seed} {number}")
    data = rng.choice(SEEDS[reader])
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3, 5))):
        data = rng.choice(CHANGES)(data, rng)
    return data[:LONGEST]


def _place(data: bytes, rng: random.Random) -> int:
    return rng.randint(0, len(data))


def _exchange(data: bytes, rng: random.Random) -> bytes:
    """A piece becomes a token."""
    at = _place(data, rng)
    return data[:at] + rng.choice(TOKENS) + data[at + rng.choice((0, 0, 1, 3, 10, 30)) :]


def _move(data: bytes, rng: random.Random) -> bytes:
    """A piece stands in another place as well."""
    start, at = _place(data, rng), _place(data, rng)
    return data[:at] + data[start : start + rng.randint(1, 60)] + data[at:]


def _cut(data: bytes, rng: random.Random) -> bytes:
    start = _place(data, rng)
    return data[:start] + data[start + rng.randint(1, 60) :]


def _end(data: bytes, rng: random.Random) -> bytes:
    return data[: _place(data, rng)]


def _flip(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data or b" ")
    for _ in range(rng.choice((1, 1, 2, 8))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _word(data: bytes, rng: random.Random) -> bytes:
    """A number, or what stands in quotes, becomes a token."""
    quotes = [k for k, c in enumerate(data) if c in b'" >']
    if len(quotes) < 2:
        return _exchange(data, rng)
    k = rng.randrange(len(quotes) - 1)
    return data[: quotes[k] + 1] + rng.choice(TOKENS) + data[quotes[k + 1] :]


def _line(data: bytes, rng: random.Random) -> bytes:
    """Lines are left out, doubled or exchanged."""
    lines = data.splitlines(keepends=True)
    if len(lines) < 3:
        return _move(data, rng)
    k, m = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(3)
    if what == 0:
        del lines[k]
    elif what == 1:
        lines.insert(m, lines[k])
    else:
        lines[k], lines[m] = lines[m], lines[k]
    return b"".join(lines)


def _repeat(data: bytes, rng: random.Random) -> bytes:
    start = _place(data, rng)
    return data[:start] + data[start : start + rng.randint(1, 40)] * rng.choice((2, 10, 300)) + data[start:]


def _number(data: bytes, rng: random.Random) -> bytes:
    """A number becomes another."""
    found = list(NUMBER.finditer(data))
    if not found:
        return _flip(data, rng)
    one = rng.choice(found)
    return data[: one.start()] + rng.choice(NUMBERS) + data[one.end() :]


def _attribute(data: bytes, rng: random.Random) -> bytes:
    """What stands in quotes is exchanged with what stands in others, or left out with its name."""
    found = list(QUOTED.finditer(data))
    if len(found) < 2:
        return _number(data, rng)
    one, other = rng.choice(found), rng.choice(found)
    if rng.random() < 0.3:
        return data[: one.start()] + data[one.end() :]
    return data[: one.start(2)] + other[2] + data[one.end(2) :]


CHANGES = (_exchange, _word, _word, _move, _cut, _end, _flip, _line, _repeat)
CHANGES += (_number,) * 6 + (_attribute,) * 6
