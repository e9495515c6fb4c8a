"""Reads what `normbench explain` prints of a network: its formulas, evaluated as they stand, and what its letters are.

A formula is products of factors side by side, sums, quotients, powers and calls: "LN[p](c x + g RMS(f(s LN[i](x))))". A factor that
is a function takes what stands behind it: "W heads(q, k, v)", "ln 2L". `parse` gives a tree of tuples; `evaluate` its value, where
env holds numbers, arrays and functions by name; a function in `Named` also gets the node it is called at.
"""
import math
import re

TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?(?:e[-+]?\d+)?|[A-Za-z_][A-Za-z_0-9]*'?|[-+/^()\[\],])")


def parse(text):
    tokens, at = [], 0
    while at < len(text.rstrip()):
        match = TOKEN.match(text, at)
        if not match:
            raise ValueError(f"no formula at '{text[at:]}' of '{text}'")
        tokens.append(match[1])
        at = match.end()
    tokens.append("")
    tree = read_sum(tokens)
    if tokens != [""]:
        raise ValueError(f"'{tokens[0]}' is not expected in '{text}'")
    return tree


def read_sum(tokens):
    tree = ("minus", read_product(pop(tokens, "-"))) if tokens[0] == "-" else read_product(tokens)
    while tokens[0] in ("+", "-"):
        sign = tokens.pop(0)
        tree = (sign, tree, read_product(tokens))
    return tree


def pop(tokens, expected):
    if tokens.pop(0) != expected:
        raise ValueError(f"'{expected}' is missing")
    return tokens


def read_product(tokens):
    tree = read_factors(tokens)
    while tokens[0] == "/":
        tree = ("/", tree, read_factors(pop(tokens, "/")))
    return tree


def read_factors(tokens):
    factors = [read_power(tokens)]
    while tokens[0] and tokens[0] not in "+-/^)],":
        factors.append(read_power(tokens))
    return factors[0] if len(factors) == 1 else ("times", *factors)


def read_power(tokens):
    base = read_atom(tokens)
    return ("^", base, read_atom(pop(tokens, "^"))) if tokens[0] == "^" else base


CALLED = {"f", "A", "F", "LN", "RMS", "L2", "center", "crms", "scalenorm", "dyt", "derf", "heads", "act", "sqrt", "silu", "tanh",
          "stop_gradient"}


def read_atom(tokens):
    word = tokens.pop(0)
    if word == "(":
        tree = read_sum(tokens)
        pop(tokens, ")")
        return tree
    if word[:1].isdigit():
        return ("number", float(word))
    if not word or word in "+-/^)],[":
        raise ValueError(f"'{word}' where a factor is expected")
    index = None
    if tokens[0] == "[":
        index = pop(tokens, "[").pop(0)
        pop(tokens, "]")
    if word not in CALLED:
        return ("name", word)
    pop(tokens, "(")
    arguments = [read_sum(tokens)]
    while tokens[0] == ",":
        arguments.append(read_sum(pop(tokens, ",")))
    pop(tokens, ")")
    return ("call", word, index, *arguments)


class Named:
    """A function that gets the node it is called at and the index in brackets, too."""

    def __init__(self, function):
        self.function = function


def evaluate(tree, env, memo=None):
    """memo: values by node, so that what stands twice in an equation is computed once."""
    memo = {} if memo is None else memo
    if tree in memo:
        return memo[tree]
    kind, *rest = tree
    value = lambda node: evaluate(node, env, memo)
    if kind == "number":
        result = rest[0]
    elif kind == "name":
        result = env[rest[0]]
        result = result() if getattr(result, "letter", False) else result
    elif kind == "call":
        function, arguments = env[rest[0]], [value(node) for node in rest[2:]]
        result = function.function(tree, rest[1], *arguments) if isinstance(function, Named) else function(*arguments)
    elif kind == "times":
        result, logarithms = value(rest[-1]), 1.0
        for node in rest[-2::-1]:
            by = value(node)
            if by is math.log:  # "ln 3L ln 2L" is a product
                result, logarithms = 1.0, logarithms * by(result)
            else:
                result = by(result) if callable(by) else by * result
        result = logarithms * result if logarithms != 1.0 else result
    elif kind == "minus":
        result = -value(rest[0])
    else:
        a, b = value(rest[0]), value(rest[1])
        result = a + b if kind == "+" else a - b if kind == "-" else a / b if kind == "/" else a ** b
    memo[tree] = result
    return result


class Equation:
    """The lines of an equation by what they say; those of some blocks alone are in `ranges`: (first, last, field, text). rules: of a
    letter (first, last, sublayer, text), blocks and sublayer None where it is the same in all. stacks: what is said of an encoder
    and its decoder."""

    # What a line begins or ends with, and the field that it is.
    LINES = [
        (r"attention: (.+)", "attention"), (r"MLP: (.+)", "mlp"), (r"(x (?:<-|=) .+)", "sublayer"),
        (r"A\(x\) = (.+)", "A"), (r"F\(x\) = (.+)", "F"),
        (r"before each block: x <- (.+)", "before"), (r"after each block: x <- (.+)", "after"),
        (r"embeddings times (.+)", "embeddings"), (r"logits times (.+)", "logits"), (r"logits x become (.+)", "cap"),
        (r"streams: (.+)", "streams"), (r"start: (.+)", "start"), (r"updates: (.+)", "updates"),
        (r"(.+) after the embeddings", "embed_norm"), (r"(.+) before the head", "head"),
    ]

    def __init__(self, lines):
        self.rules, self.field, self.ranges, self.stacks = {}, {}, [], ""
        for line in lines:
            strength = re.fullmatch(r"N\[(\w)\]\(x\) = \1 N\(x\) \+ \(1 - \1\) x(?:, \1 = (\S+))?", line)
            letter = re.fullmatch(r"(?:blocks? (\d+)(?: to (\d+))?)?(?:, )?(?:(attention|MLP))?(?:: )?([a-wyz]) (?:=|goes) (.+)", line)
            if strength:
                if strength[2]:
                    self.rules[strength[1]] = [(None, None, None, strength[2])]
            elif letter:
                first, last, sub, name, text = letter.groups()
                first, last = first and int(first), int(last or first) if first else None
                self.rules.setdefault(name, []).append((first, last, {"attention": 0, "MLP": 1}.get(sub), text))
            else:
                self.add(line)

    def add(self, line):
        blocks = re.match(r"blocks? (\d+)(?: to (\d+))?(?:: |, )", line)
        for pattern, field in self.LINES:
            match = re.fullmatch(pattern, line[blocks.end():] if blocks else line)
            if match and blocks:
                self.ranges.append((int(blocks[1]), int(blocks[2] or blocks[1]), field, match[1]))
                return
            if match and field not in self.field:
                self.field[field] = match[1]
                return
        raise ValueError(f"a line of the equation that says nothing known: '{line}'")

    def at(self, block, field):
        """What a line says of a block; None where none does."""
        own = [text for first, last, what, text in self.ranges if what == field and first <= block <= last]
        return own[0] if own else self.field.get(field)

    def rule(self, name, block, sub):
        """What a letter is at a sublayer (0, 1; 2 as 0; None of a whole block) of a block (None outside); None where nothing says so."""
        for first, last, where, text in self.rules.get(name, ()):
            if (first is None or block is not None and first <= block <= last) and where in (None, {2: 0}.get(sub, sub)):
                return text
        return None

    def sublayers(self, block):
        """Attention's text and the MLP's."""
        both = self.at(block, "sublayer")
        return [self.at(block, "attention") or both, self.at(block, "mlp") or both]


def equations(printed):
    """Those of what `explain` prints of several arms, in order: the lines between a title and what the arm is changed from."""
    lines, found = printed.splitlines(), []
    for end, line in enumerate(lines):
        if line.startswith(("  changed from ", "  source: ")):
            first = end
            while lines[first - 1].startswith("  "):
                first -= 1
            found.append(Equation([line.strip() for line in lines[first:end] if not line.startswith("  shown for ")]))
        elif line.startswith("  an encoder and a decoder: "):
            last = end + 1
            while lines[last].startswith("    "):
                last += 1
            found[-1].stacks = " ".join(line.strip() for line in lines[end:last])
    return found
