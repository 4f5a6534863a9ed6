"""The changes of one term that a statement admits: signs, terms, factors, comparisons, constants, operands, fields."""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<number>0x[0-9A-Fa-f]+|\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+(?:[eE][+-]?\d+)?)
      |(?P<name>[A-Za-z_]\w*)
      |(?P<cast><\s*(?:const\s+)?[A-Za-z_][\w ]*?\s*\**\s*>)
      |(?P<text>"[^"]*"|'[^']*')
      |(?P<op>\*\*=?|//=?|<<|>>|[-+*/%&|^<>=!]=|[-+*/%<>=&|^~()\[\]{}:.,?@!])
      |(?P<space>\s+)""",
    re.VERBOSE,
)
OPERATORS_OF_WORDS = {"return", "and", "or", "not", "in", "if", "else", "is", "elif", "while"}
ENDS_TERM = {"+", "-", ",", ":", "<", ">", "<=", ">=", "==", "!=", "=", "and", "or", "if", "else", "|", "&"}
ENDS_FACTOR = ENDS_TERM | {"*", "/", "//", "%"}
NEGATION = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}
OTHER_WORD = {"and": "or", "or": "and", "True": "False", "False": "True", "min": "max", "max": "min", "fmin": "fmax",
              "fmax": "fmin"}  # fmt: skip
LEAVES = {"return", "cdef", "pass", "break", "continue", "raise"}
OTHER_FIELD = {"x": "y", "y": "z", "z": "x", "w": "v", "v": "w"}
SUMS = re.compile(r"^(add|sub)(\d|_[a-z]\w*)?$")
NEGATIVES = re.compile(r"^neg(\d|_[a-z]\w*)?$")
PRODUCTS = re.compile(r"^cross\d?$")


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int
    depth: int  # of brackets
    indexing: bool  # inside [ ], where a change would only reach for memory that is not there
    operand: bool  # whether an operand, not an operator, is due here


def tokens(text):
    """Tokens of one logical line; `<T*>` is a cast where an operand is due, and a comparison elsewhere."""
    found, brackets, position, due = [], [], 0, True
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            return []
        kind, word = match.lastgroup, match[0]
        if kind == "cast" and not due:
            kind, word = "op", text[position : position + (2 if text[position + 1] == "=" else 1)]
        if word and word in ")]}" and brackets:
            brackets.pop()
        if kind != "space":
            place = (position, position + len(word), len(brackets), "[" in brackets, due)
            found.append(Token(kind, word, *place))
            due = kind in {"op", "cast"} and word not in {")", "]", "}"} or word in OPERATORS_OF_WORDS
        if word and word in "([{":
            brackets.append(word)
        position += len(word)
    return found


def end_of(words, k, ends):
    """Where the term that begins with token k ends."""
    j = k
    while j < len(words) and not (words[j].depth == words[k].depth and words[j].text in ends and not words[j].operand):
        if words[j].depth < words[k].depth:
            break
        j += 1
    return words[j - 1].end


def arguments(words, k):
    """(start, end) of each argument of the call whose name is token k, and where the call ends."""
    inner, start, found = words[k + 1].depth + 1, words[k + 1].end, []
    for word in words[k + 2 :]:
        if word.text == "," and word.depth == inner:
            found.append((start, word.start))
            start = word.end
        elif word.text == ")" and word.depth == inner - 1:
            return [*found, (start, word.start)], word.end
    return [], 0


def changes(text, whole=True):
    """[(what is done, new text)] in the order of the text, without repetitions; `whole`: of a statement, not a part."""
    words = tokens(text)
    seen = {}

    def put(what, start, end, new):
        changed = text[:start] + new + text[end:]
        if changed != text:
            seen.setdefault(changed, what)

    for k, word in enumerate(words):
        if word.indexing or word.kind in {"cast", "text"}:
            continue
        if word.kind == "number":
            for new in other_numbers(word.text):
                put("another constant", word.start, word.end, new)
        elif word.kind == "name":
            change_word(words, k, text, put)
        elif word.kind == "op":
            change_operator(words, k, put)
    if whole and removable(text, words):
        put("no statement", 0, len(text), "pass")
    return [(what, changed) for changed, what in seen.items()]


def other_numbers(number):
    """A constant like this one, but not it."""
    if number.startswith("0x"):
        return [hex(int(number, 16) >> 1)]
    if not re.search(r"[.eE]", number):
        return [str(int(number) + 1)]
    value = float(number)
    if value == 0.0:
        return ["1.0"]
    return [repr(value * 1e3 if abs(value) < 1e-3 else value * 2)]


def change_word(words, k, text, put):
    """Words of logic, fields of structs, and calls of the algebra."""
    word, after = words[k], words[k + 1].text if k + 1 < len(words) else ""
    before = words[k - 1].text if k else ""
    if word.text == "not" and before != "is":
        put("no negation", word.start, words[k + 1].start, "")
    elif word.text in OTHER_WORD and before != ".":
        put("another word", word.start, word.end, OTHER_WORD[word.text])
    elif before == "." and after != "(" and word.text in OTHER_FIELD:
        put("another field", word.start, word.end, OTHER_FIELD[word.text])
    elif after == "(" and (SUMS.match(word.text) or PRODUCTS.match(word.text) or NEGATIVES.match(word.text)):
        places, end = arguments(words, k)
        given = [text[a:b].strip() for a, b in places]
        if len(given) == 2 and SUMS.match(word.text):
            put("the second operand dropped", word.start, end, given[0])
            put("the first operand dropped", word.start, end, given[1])
            other = word.text.replace("add", "\0").replace("sub", "add").replace("\0", "sub")
            put("another sign", word.start, word.end, other)
        elif len(given) == 2:
            put("operands swapped", word.start, end, f"{word.text}({given[1]}, {given[0]})")
        elif len(given) == 1:
            put("no negation", word.start, end, given[0])


def change_operator(words, k, put):
    """Signs, terms, factors and comparisons."""
    word = words[k]
    if k + 1 == len(words):
        return
    if word.text in {"+", "-"} and not word.operand:
        put("another sign", word.start, word.end, "-" if word.text == "+" else "+")
        put("a term dropped", words[k - 1].end, end_of(words, k + 1, ENDS_TERM), "")
    elif word.text == "-" and word.operand:
        put("no sign", word.start, word.end, "")
    elif word.text == "*" and not word.operand:
        put("a factor dropped", words[k - 1].end, end_of(words, k + 1, ENDS_FACTOR), "")
    elif word.text == "/" and not word.operand:
        put("a product", word.start, word.end, "*")
    elif word.text in {"+=", "-="}:
        put("another sign", word.start, word.end, "-=" if word.text == "+=" else "+=")
    elif word.text in NEGATION and not word.operand:
        put("another comparison", word.start, word.end, NEGATION[word.text])


def removable(text, words):
    """Whether a statement only writes into memory that had a value before, or only calls."""
    if not words or words[0].kind != "name" or words[0].text in LEAVES:
        return False
    equals = [w for w in words if w.depth == 0 and w.text in {"=", "+=", "-=", "*=", "/="}]
    if not equals:
        return text.endswith(")")
    return equals[0].text != "=" or "." in text[: equals[0].start] or "[" in text[: equals[0].start]
