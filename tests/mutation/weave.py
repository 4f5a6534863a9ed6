"""Many mutants in one build: a changed statement stands beside the old one, and a number chosen at run time decides."""

from __future__ import annotations

import re
from dataclasses import dataclass

from changes import changes
from statements import Statement, declaration, logical_lines, split, statements

CIMPORT = "from rbdyn.mutant cimport mutated"
DECLARATION = """cdef extern from "mutant.h" nogil:
    bint mutated(int number) noexcept
"""
SWITCH = """/* mutated(k): is mutant k the one to be?  The file RBDYN_MUTANT_MAP holds its number, and a byte for each
   mutant that is set when it is asked for; without that file, RBDYN_MUTANT is the number. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
static int mutant_of_process;
static volatile int *mutant_now = &mutant_of_process;
static volatile unsigned char *mutants_seen;
__attribute__((constructor)) static void start_mutant(void) {
    const char *now = getenv("RBDYN_MUTANT"), *map = getenv("RBDYN_MUTANT_MAP");
    mutant_of_process = now ? atoi(now) : 0;
    int file = map ? open(map, O_RDWR) : -1;
    struct stat size;
    if (file < 0) return;
    if (!fstat(file, &size)) {
        void *place = mmap(0, size.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (place != MAP_FAILED) {
            mutant_now = place;
            mutants_seen = (unsigned char *)place + sizeof(int);
        }
    }
    close(file);
}
static inline int mutated(int number) {
    if (mutants_seen) mutants_seen[number] = 1;
    return number == *mutant_now;
}
"""
OPENS = re.compile(r"(from|import|cimport|cdef|ctypedef|cpdef)\b")  # the first line after docstring and comments
CONDITION = re.compile(r"^(if|elif|while) (.*):$")
RANGE = re.compile(r"^for (\w+) in range\((.*)\):$")


@dataclass(frozen=True)
class Mutant:
    """One change of one statement; `occurrence` tells equal statements of a function apart."""

    statement: Statement
    what: str
    was: str
    now: str
    occurrence: int

    @property
    def key(self):
        """What the mutant is, whatever line it stands on."""
        s = self.statement
        return f"{s.path} :: {s.function} :: {self.was} => {self.now}" + (
            f" ({self.occurrence})" if self.occurrence else ""
        )

    @property
    def place(self):
        return f"{self.statement.path}:{self.statement.first + 1}"


def pieces(text):
    """What of a statement may be changed: its assignments, the conditions and bounds of its header, or all of it."""
    declared = declaration(text)
    if declared:
        return declared[1]
    if match := CONDITION.match(text):
        return [match[2]]
    if match := RANGE.match(text):
        return [part.strip() for part in split(match[2], ",")[:2]]
    if text.endswith(":") or text.startswith("cdef "):
        return []
    return [text]


def mutants(path, source):
    """All mutants of a file."""
    count = {}
    for statement in statements(path, source):
        for piece in pieces(statement.text):
            for what, now in changes(piece, whole=piece == statement.text):
                key = (statement.function, piece, now)
                count[key] = count.get(key, -1) + 1
                yield Mutant(statement, what, piece, now, count[key])


def woven(source, numbered):
    """The source with all the mutants of {number: mutant} in it."""
    lines = source.split("\n")
    by_statement = {}
    for number, mutant in numbered.items():
        by_statement.setdefault(mutant.statement, []).append((number, mutant))
    for statement in sorted(by_statement, key=lambda s: -s.first):
        lines[statement.first : statement.last + 1] = switch(statement, by_statement[statement])
    first = next(k for k, _, _, text in logical_lines(lines) if OPENS.match(text))
    return "\n".join([*lines[:first], CIMPORT, *lines[first:]])


def switch(statement, mutants_here):
    """Lines that do what the chosen mutant says, or what the statement said."""
    text, indent = statement.text, statement.indent
    declared = declaration(text)
    if declared:
        lines = [indent + declared[0]]
        for assignment in declared[1]:
            lines += choice(indent, assignment, [(n, m) for n, m in mutants_here if m.was == assignment])
        return lines
    if match := CONDITION.match(text):
        return [f"{indent}{match[1]} {chosen(match[2], mutants_here)}:"]
    if match := RANGE.match(text):
        bounds = [part.strip() for part in split(match[2], ",")]
        bounds[:2] = [chosen(b, [(n, m) for n, m in mutants_here if m.was == b]) for b in bounds[:2]]
        return [f"{indent}for {match[1]} in range({', '.join(bounds)}):"]
    return choice(indent, text, mutants_here)


def chosen(expression, mutants_here):
    """An expression that is the mutant's where it is chosen."""
    for number, mutant in mutants_here:
        expression = f"(({mutant.now}) if mutated({number}) else ({expression}))"
    return expression


def choice(indent, text, mutants_here):
    """Statements of which the number chooses one."""
    if not mutants_here:
        return [indent + text]
    lines = []
    for k, (number, mutant) in enumerate(mutants_here):
        lines += [f"{indent}{'elif' if k else 'if'} mutated({number}):", f"{indent}    {mutant.now}"]
    return [*lines, f"{indent}else:", f"{indent}    {text}"]
