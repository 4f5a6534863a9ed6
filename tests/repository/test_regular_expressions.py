"""Regular expressions take time that is linear in the text: the next character decides each of their choices.

Each is found in the sources by its syntax tree, evaluated in its module, and judged by its structure.  Python's engine
tries what else could match, and where two ways overlap, once within another, there are exponentially many.
"""

import ast
import importlib
import json
import re
import subprocess
import sys
import warnings
from itertools import combinations
from pathlib import Path

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    parser = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("rbdyn", "collision", "contact", "io")
USES = ("match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split")
FROM_START = ("match", "fullmatch")  # the others begin anew at each place of the text
FEW = 100  # repetitions that count as bounded
SAMPLE = frozenset([*range(0x250), 0x660, 0x2028, 0x3000, 0xD7FF, 0xD800, 0xE000, 0xFFFD, 0xFFFF, 0x10000])
ONCE, SOME, ANY_NUMBER = 0, 1, 2  # how often what is judged may come: once, up to FEW times, more often
END = -1  # stands for the end of the text among characters
NEWLINE = ord("\n")
SECONDS = 30  # of processor for all hostile texts together, of which linear expressions need about one
LENGTH = 40_000  # [characters] of a hostile text: with quadratic time each takes seconds


class Judge:
    """Choices of an expression that its next character leaves open, and that come again and again.

    A choice outside of all repeats is tried twice at most, which is a factor that no text makes larger.
    """

    def __init__(self, pattern, flags=0):
        tree = parser.parse(pattern, flags & ~re.UNICODE)
        self.flags = tree.state.flags
        self.every = frozenset(range(256)) if isinstance(pattern, bytes) else SAMPLE
        self.faults, self.repeated, self.pieces = [], frozenset(), []
        self.first, _ = self.sequence(tree, frozenset(), ONCE)
        # An attempt that fails behind a repeat that holds other beginnings is made again from each of them.
        self.restarts = self.late(tree, False)[0] and bool(self.first & self.repeated)

    def characters(self, op, value):
        """Those that a node of one character matches."""
        name = str(op)
        if name in ("LITERAL", "RANGE"):
            low, high = (value, value) if name == "LITERAL" else value
            found = {low, high} | {c for c in self.every if low <= c <= high}
            if self.flags & re.IGNORECASE:
                found |= {ord(x) for c in found for x in (chr(c).lower(), chr(c).upper()) if len(x) == 1}
            return frozenset(found)
        if name == "NOT_LITERAL":
            return self.every - self.characters("LITERAL", value)
        if name == "ANY":
            return self.every if self.flags & re.DOTALL else self.every - {NEWLINE}
        if name == "CATEGORY":
            kind = str(value).rsplit("_", 1)[1]
            letter = {"SPACE": r"\s", "DIGIT": r"\d", "WORD": r"\w"}[kind]
            flags = re.ASCII if len(self.every) == 256 else 0
            within = frozenset(c for c in self.every if re.match(letter, chr(c), flags))
            return self.every - within if "_NOT_" in str(value) else within
        assert name == "IN", f"{name} is not known here"
        negated = str(value[0][0]) == "NEGATE"
        found = frozenset().union(*(self.characters(*item) for item in value[negated:]))
        return self.every - found if negated else found

    def sequence(self, items, follow, often):
        """First characters of a sequence, and whether it may be empty; `follow` may come behind it."""
        first, empty = frozenset(), True
        for op, value in reversed(list(items)):
            one, nothing = self.node(str(op), op, value, first | (follow if empty else frozenset()), often)
            first, empty = (one | first if nothing else one), nothing and empty
        return first, empty

    def node(self, name, op, value, follow, often):
        """The same of one node."""
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            return self.repeat(*value, follow, often)
        if name == "SUBPATTERN":
            return self.sequence(value[3], follow, often)
        if name == "BRANCH":
            return self.branch([self.sequence(branch, follow, often) for branch in value[1]], follow, often)
        if name == "ASSERT":
            first, _ = self.sequence(value[1], frozenset(), often)
            return (first, False) if value[0] > 0 else (frozenset(), True)
        if name == "AT":
            ends = {"AT_END": {END, NEWLINE}, "AT_END_STRING": {END}}.get(str(value))
            return (frozenset(ends), False) if ends else (frozenset(), True)
        if name in ("ASSERT_NOT", "GROUPREF", "GROUPREF_EXISTS", "ATOMIC_GROUP", "POSSESSIVE_REPEAT"):
            self.faults.append(f"{name} is not judged here")
            return frozenset(), True
        found = self.characters(op, value)
        self.repeated |= found if often == ANY_NUMBER else frozenset()
        self.pieces.append(chr(min(found & set(range(33, 127)) or found)))
        return found, False

    def branch(self, branches, follow, often):
        for (a, no_a), (b, no_b) in combinations(branches, 2):
            alike = (a | (follow if no_a else frozenset())) & (b | (follow if no_b else frozenset()))
            if alike and often != ONCE:
                self.faults.append("two branches begin alike")
        return frozenset().union(*(first for first, _ in branches)), any(nothing for _, nothing in branches)

    def repeat(self, least, most, body, follow, often):
        inside = max(often, ANY_NUMBER if most is parser.MAXREPEAT or most > FEW else SOME if most > 1 else ONCE)
        begins, _ = self.sequence(body, frozenset(), inside)
        again = begins if most > 1 else frozenset()
        first, nothing = self.sequence(body, follow | again, inside)
        if nothing and most > 1:
            self.faults.append("a repeat of nothing")
        if most > least and inside != ONCE and first & follow:
            self.faults.append(f"what is repeated begins like what follows: {sorted(map(chr, first & follow))[:5]}")
        return first, nothing or least == 0

    def late(self, items, seen):
        """Whether it can fail behind an unbounded repeat, and whether there is one."""
        for op, value in items:
            name, fails = str(op), False
            if name in ("MAX_REPEAT", "MIN_REPEAT"):
                inner, within = self.late(value[2], False)
                fails = inner or (seen and value[0] > 0)
                seen |= within or value[1] is parser.MAXREPEAT or value[1] > FEW
            elif name == "SUBPATTERN":
                fails, seen = self.late(value[3], seen)
            elif name == "BRANCH":
                each = [self.late(branch, seen) for branch in value[1]]
                fails, seen = any(bad for bad, _ in each), any(within for _, within in each)
            elif not (name == "ASSERT" and value[0] < 0) and not (name == "AT" and "BEGINNING" in str(value)):
                fails = seen
            if fails:
                return True, True
        return False, seen


def faults(pattern, flags=0, uses=frozenset({"match"})):
    judge = Judge(pattern, flags)
    searched = judge.restarts and not uses <= {"compile", *FROM_START}
    return judge.faults + ["searched, it is read again from each place"] * searched


# ---- the expressions of the sources ----


def sources():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            name = name if folder == "rbdyn" else f"rbdyn.{name}"
            yield name.removesuffix(".__init__"), path.read_text("utf-8")


def found_in(name, text):
    """(pattern, flags, method) of each use in one module; "compile" where it is only made."""
    nodes = list(ast.walk(ast.parse(text)))
    assert not any(isinstance(n, ast.ImportFrom) and n.module in ("re", "sre_parse") for n in nodes), name
    makes = any(isinstance(n, ast.Import) and any(alias.name == "re" for alias in n.names) for n in nodes)
    if not makes and not name.startswith("rbdyn.io"):  # whose modules take some from one another
        return
    known = vars(importlib.import_module(name))
    used = {id(n.value): n.attr for n in nodes if isinstance(n, ast.Attribute)}
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            it = known.get(node.id)
            if isinstance(it, re.Pattern):
                yield it.pattern, it.flags, used.get(id(node), "search")  # handed on, it may be searched
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "re"
        ):
            method = node.func.attr
            assert method in ("compile", *USES), f"{name}:{node.lineno}: re.{method} is not judged"
            made = node if method == "compile" else ast.parse(f"re.compile({ast.unparse(node.args[0])})").body[0].value
            it = eval(ast.unparse(made), dict(known))  # NameError: an expression is made of what is known at import
            yield it.pattern, it.flags, method


def expressions():
    """{(pattern, flags): (module, methods)} of all sources."""
    found = {}
    for name, text in sources():
        for pattern, flags, method in found_in(name, text):
            found.setdefault((pattern, flags), (name, set()))[1].add(method)
    return found


@pytest.mark.parametrize(
    ("pattern", "uses"),
    [
        (r"(a+)+b", {"match"}),
        (r"(?:a|a)*b", {"match"}),
        (r"(?:\s|\s+)*x", {"match"}),
        (rb"(?s)(?:\s|<\?.*?\?>|<!--.*?-->)*<materials?[\s>/]", {"match"}),
        (r"(?s)(.+?:\d+): (.*)", {"match"}),
        (r"a*a*b", {"match"}),
        (r"[a-z]*[x-z]", {"match"}),
        (r"(?i)[a-z]*X", {"match"}),
        (r"\w+\d", {"match"}),
        (r"[^,]*\s,", {"match"}),
        (r"(?:a?)*b", {"match"}),
        (r"(?:(?:\n|$)x)*", {"match"}),
        (r"(?:a?){30}a{30}", {"match"}),
        (r"(?:ab?|[ac]c)*x", {"match"}),
        (r"a{0,500}a", {"match"}),
        (r"\s*x", {"search"}),
        (r"\s+$", {"sub"}),
        (r"a[ab]*c", {"findall"}),
        (r"(?:a[0-9]*;)*", {"finditer"}),
    ],
)
def test_what_backtracks_is_found(pattern, uses):
    """The judge knows the famous ones, and those that stood here."""
    assert faults(pattern, 0, uses)


@pytest.mark.parametrize(
    ("pattern", "uses"),
    [
        (r"\s*x", {"match"}),
        (r"[ \t]+", {"split"}),
        (r"(?:_[a-z]+)*", {"search"}),
        (r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", {"search"}),
        (rb"<\?xml[ \t\r\n][^<>]*(?<=\?)>", {"search"}),
        (r"x[0-9]+;", {"findall"}),
        (r"(?:a[bc]*;)*", {"match"}),
        (r"x(?: a=[0-9]{1,9})?(?: b=[0-9]{1,9})?", {"match"}),
    ],
)
def test_what_does_not_backtrack_is_accepted(pattern, uses):
    assert faults(pattern, 0, uses) == []


def test_the_expressions_of_the_sources():
    found = expressions()
    assert len(found) > 40 and any("search" in uses for _, uses in found.values())
    wrong = {f"{name}: {pattern!r}": said for (pattern, flags), (name, uses) in found.items()
             if (said := faults(pattern, flags, uses))}  # fmt: skip
    assert wrong == {}
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.px[ydi]"):
            assert re.search(r"^[ \t]*c?(?:import|from) +re\b", path.read_text("utf-8"), re.MULTILINE) is None, path


def hostile(pattern, flags):
    """Long texts of the pieces of an expression, that end with what it does not take."""
    pieces = list(dict.fromkeys(Judge(pattern, flags).pieces))
    literal = "".join(pieces)
    for piece in [*pieces, *map("".join, zip(pieces, pieces[1:], strict=False)), literal, literal[::-1]]:
        text = piece * (LENGTH // len(piece)) + "\0"
        yield text.encode("latin-1", "replace") if isinstance(pattern, bytes) else text


def run_hostile():
    """Every expression of the sources over its hostile texts, each as it is used."""
    for (pattern, flags), (_, uses) in expressions().items():
        made = re.compile(pattern, flags)
        for text in hostile(pattern, flags):
            made.match(text)
            made.fullmatch(text)
            if not uses <= {"compile", *FROM_START}:
                made.findall(text)


def limited(code, *arguments):
    """Run Python in a process that the system ends after SECONDS of processor; its output."""
    resource = pytest.importorskip("resource", reason="limits of processes are POSIX's")
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], cwd=Path(__file__).parent, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1)), check=False,
    )  # fmt: skip
    assert done.returncode >= 0, f"ended by signal {-done.returncode}: {done.stderr[-2000:]}"
    return done


def test_hostile_texts():
    done = limited("import test_regular_expressions as t; t.run_hostile(); print('read')")
    assert done.stdout == "read\n", done.stderr


HEADS = {
    "comments": "<!-- c -->" * 5000,
    "lines of comments": "<!-- c -->\n  " * 5000,
    "instructions": "<?x y?>" * 5000,
    "blanks": " \n" * 20_000,
    "a comment": "<!--" + "- <" * 10_000 + " -->",
}


BODIES = {
    "URDF": '<robot name="r"><link name="a"/></robot>',
    "sensor set": '<sensor_set name="s"><link/></sensor_set>',
    "materials": '<material><pair_prop name1="a" name2="b" friction="1"/></material>',
    "world": "<raisim/>",
    "": "<html/>",
}


def test_check_whatever_stands_before_the_root(tmp_path):
    """`rbdyn check` finds the root element behind any number of comments."""
    wanted = {}
    for head in HEADS:
        for kind, body in BODIES.items():
            file = tmp_path / f"{head} {kind}.xml"
            file.write_text(HEADS[head] + body)
            wanted[str(file)] = kind
    code = "import sys; from rbdyn.cli.main import main; sys.exit(main(sys.argv[1:]))"
    said = json.loads(limited(code, "check", "--json", *wanted).stdout)
    assert {one["file"]: one["format"] for one in said} == wanted
    assert all((one["verdict"] == "refused") == (one["format"] == "") for one in said)
