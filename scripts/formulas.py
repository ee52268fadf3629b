# SPDX-License-Identifier: Apache-2.0
"""The registry's plain notation as LaTeX, for Markdown as GitHub renders it.

A text is prose with formulas in it. Words are prose, and letters, Greek names, numbers and signs are mathematics; inside
brackets everything is. X+ is the next X, X- the one before, X^ an X with a hat, |X| a norm, <X, Y> a product.
"""
import re

GREEK = "alpha beta gamma delta eps eta theta kappa lambda mu nu rho sigma tau Theta Lambda Omega".split()
NAMES = {name: "\\" + name for name in GREEK} | {
    "eps": r"\varepsilon", "grad": r"\nabla", "argmin": r"\operatorname*{argmin}", "mean": r"\operatorname{mean}",
    "nest": r"\operatorname{nest}", "FastMix": r"\operatorname{FastMix}", "prox": r"\operatorname{prox}", "exp": r"\exp", "log": r"\log", "ln": r"\ln",
    "max": r"\max", "min": r"\min", "Xg": "X_g", "Xf": "X_f", "WX": "WX", "tx": "t_x", "ty": "t_y"}
SUBSCRIPTS = {"max": r"\max", "min": r"\min", "DS": r"\mathrm{DS}", "in": r"\mathrm{in}"}
FENCES = {"sqrt": (r"\sqrt{", "}"), "ceil": (r"\lceil ", r" \rceil"), "floor": (r"\lfloor ", r" \rfloor")}
SIGNS = {"...": r"\dots", "<-": r"\leftarrow", "<=": r"\le", ">=": r"\ge", "~": r"\approx", "<": r"\langle", ">": r"\rangle"}

FENCE = re.compile(r"(?:sqrt|ceil|floor)\(")
WORD = re.compile(r"[A-Za-z]+(?:[-'][A-Za-z]+)*(?:'(?![A-Za-z])|\d*)")
# Brackets around a remark, not around a formula.
REMARK = re.compile(r"\([a-z]+: [^()]*\)")
NAME = re.compile(r"(?:%s)(?![A-Za-z])|[A-Za-z](?![A-Za-z])" % "|".join(sorted(NAMES, key=len, reverse=True)))
# A sign right behind a name belongs to it where no operand follows at once: X+ = ..., but k+1.
AFTERWARDS = re.compile(r"[+-](?=[\s),;/]|$)")


class Reader:
    """Takes a text apart into prose and mathematics. What is embedded is mathematics throughout."""

    def __init__(self, text, embedded=False):
        self.text, self.at, self.embedded = text, 0, embedded
        self.parts = []  # (kind, pieces)
        self.depth, self.in_norm, self.after_space = 0, False, False

    def take(self, pattern):
        found = re.compile(pattern).match(self.text, self.at)
        if found:
            self.at = found.end()
        return found and found.group()

    def add(self, kind, piece):
        if kind == "text" and self.after_space and self.parts:
            piece = " " + piece
        if not self.parts or self.parts[-1][0] != kind:
            self.parts.append((kind, []))
        self.parts[-1][1].append(piece)
        self.after_space = False

    def is_prose(self):
        return self.depth == 0 and not self.embedded

    def word(self):
        """The word of prose that follows, if it is not the name of something."""
        found = WORD.match(self.text, self.at)
        if not found or FENCE.match(self.text, self.at):
            return None
        word = found.group()
        if word == "a":  # an article where a word follows
            is_article = self.is_prose() and self.text[found.end():found.end() + 1] == " " and \
                Reader(self.text[found.end() + 1:]).word()
            return word if is_article else None
        if re.match(r"[A-Za-z]-[a-z]", word):  # L-scale
            return word
        name = NAME.match(self.text, self.at)
        is_name = name and not re.match(r"[-']?[A-Za-z]{2}", self.text[name.end():])
        return None if is_name else word

    def read(self, end=None):
        while self.at < len(self.text):
            if end and self.depth == 0 and self.take(end):
                break
            self.step()
        return self.parts

    def inner(self):
        """What stands before the bracket that closes the one just opened."""
        reader = Reader(self.text[self.at:], embedded=True)
        parts = reader.read(r"\)")
        self.at += reader.at
        return joined(parts[0][1])

    def step(self):
        if self.take(r"\s+"):
            self.after_space = True
            return
        word = self.word()
        if word:
            self.at += len(word)
            self.add("text", word) if self.is_prose() else self.add("math", self.embedded_word(word))
            return
        stop = self.take(REMARK.pattern + r"|[,;:](?=\s|$)|\.(?!\.)") if self.is_prose() else None
        if stop:
            self.add("text", stop)
        else:
            self.add("math", self.symbol())

    def embedded_word(self, word):
        """A word inside a formula, with those that follow it."""
        begins = not self.parts or self.parts[-1][1][-1] in ("(", ",", "/")
        while True:
            blank = re.match(r" ", self.text[self.at:])
            following = blank and Reader(self.text[self.at + 1:], embedded=True).word()
            if not following:
                break
            self.at += 1 + len(following)
            word += " " + following
        below = self.subscript()
        ends = re.match(r"\s*([),/]|$)", self.text[self.at:])
        return ("" if begins else r"\;") + r"\text{%s}" % word + below + ("" if ends else r"\;")

    def symbol(self):
        fence = self.take(FENCE.pattern)
        if fence:
            before, after = FENCES[fence[:-1]]
            return before + self.inner() + after + self.powers()
        if self.take(r"11'"):
            return r"\mathbf{1}\mathbf{1}^{\top}"
        sign = self.take(r"\.\.\.|<-|<=|>=|[<>~]")
        if sign:
            self.depth += {"<": 1, ">": -1}.get(sign, 0)
            return SIGNS[sign]
        if self.take(r"\|"):
            self.in_norm = not self.in_norm
            self.depth += 1 if self.in_norm else -1
            return r"\lVert" if self.in_norm else r"\rVert" + self.powers()
        if self.take(r"\("):
            self.depth += 1
            return "("
        if self.take(r"\)"):
            self.depth -= 1
            return ")" + self.subscript() + self.powers()
        number = self.take(r"\d+(?:\.\d+)?")
        if number:
            return number + self.powers()
        name = NAME.match(self.text, self.at)
        if name:
            self.at = name.end()
            base = NAMES.get(name.group(), name.group())
            digits = self.take(r"\d+") if len(name.group()) == 1 else None
            below = "_{%s}" % digits if digits else self.subscript()
            return self.decorated(base, below) + self.powers()
        return self.take(r".")

    def subscript(self):
        if self.take(r"_"):
            content = self.take(r"\{[^}]*\}") or self.take(r"[A-Za-z0-9]+")
            content = content.strip("{}")
            return "_{%s}" % SUBSCRIPTS.get(content, NAMES.get(content, content))
        return ""

    def decorated(self, base, below):
        if self.take(r"\^(?=[\s/),;+]|$)"):
            base = r"\hat{%s}" % base
        mark = self.take(r"'(?![A-Za-z])") or self.take(r"\*") or self.take(AFTERWARDS.pattern)
        return base + below + ("" if not mark else mark if mark == "'" else "^{%s}" % mark)

    def powers(self):
        if not self.take(r"\^"):
            return ""
        if self.take(r"\("):
            return "^{%s}" % self.inner()
        sign = self.take(r"-") or ""
        word = self.word()
        if word:
            self.at += len(word)
            return r"^{%s\text{%s}}" % (sign, word)
        number = self.take(r"\d+")
        if number:
            return "^{%s%s}" % (sign, number)
        name = self.take(NAME.pattern)
        if not name:
            raise ValueError(f"{self.text}: no exponent at character {self.at}")
        return "^{%s%s%s}" % (sign, NAMES.get(name, name), self.subscript())


def joined(pieces):
    return re.sub(r"(?<=\() | (?=[),])", "", " ".join(pieces))


def parts_of(text):
    return [(kind, "".join(pieces) if kind == "text" else joined(pieces)) for kind, pieces in Reader(text).read()]


def inline(text):
    """Markdown: prose with formulas in it."""
    out = ""
    for kind, content in parts_of(text):
        if kind == "text":
            out += content.replace("|", "\\|")
        else:
            out += (" " if out else "") + (content if content.isdigit() else f"$`{content}`$")
    return out


def line(text):
    """LaTeX: a formula with prose in it. Two blanks separate what is said besides."""
    said = []
    for part in re.split(r"(?<=,)\s{2,}", text):
        said.append(" ".join(r"\text{%s }" % content if kind == "text" else content for kind, content in parts_of(part)))
    return r" \quad ".join(said)


def is_formula(text):
    return parts_of(text)[0][0] == "math"


def rule(text):
    """Markdown: the lines of a rule, formulas set apart."""
    blocks = []
    for part in re.split(r";\s{2,}", text):
        if is_formula(part) and blocks and isinstance(blocks[-1], list):
            blocks[-1].append(line(part))
        else:
            blocks.append([line(part)] if is_formula(part) else inline(part[0].upper() + part[1:]) + ".")
    return "\n\n".join("```math\n\\begin{aligned}\n%s\n\\end{aligned}\n```" % " \\\\\n".join("& " + f for f in block)
                       if isinstance(block, list) else block for block in blocks)
