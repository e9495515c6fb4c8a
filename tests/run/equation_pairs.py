"""Encoder-decoders (Vaswani et al. 2017) of the equation that `normbench explain` prints: two stacks, each as the equation says.

A block of the decoder has a third sublayer between its two, attention to what the encoder ends with. Sentences stand one a row here,
filled up behind their end; no token sees what fills. Both stacks have positions of their own; tokens may have one table.
"""
import copy
import re

import numpy as np

from equation_net import ATTN, CROSS, MLP, Net, mean_loss

FILL, PADDING = -1, 0
FORMULA = r"([^,;]+?)"


ITEMS = [  # of what an encoder and a decoder have otherwise
    rf"(?:value|times) {FORMULA}, [^;]*; beside a decoder {FORMULA}, of one that reads an encoder {FORMULA}(, which attention to it is not)?$",
    rf"times {FORMULA}[,;].*; of a decoder that reads (?:one|an encoder) {FORMULA}$",
    rf"value {FORMULA}, [^;]*; {FORMULA} of a decoder that reads an encoder$",
    r"\((2L /) value of them each, .*; of a decoder that reads an encoder (3L /) value of them$",
    r"; an encoder and a decoder each begin at 1, and padding counts, as in the paper's code$",
]


def constants(said):
    """What the equation's constants are in an encoder and in its decoder: (in the equation, encoder's, decoder's, cross's)."""
    for item in re.split(r"; (?=[a-z_0-9.]+: )", said)[1:]:
        found = [match.groups() for match in (re.search(pattern, item) for pattern in ITEMS) if match]
        if not found:
            raise ValueError(f"a stack's constants that are not known: '{item}'")
        if len(found[0]) == 4:
            alone, encoder, decoder, without = found[0]
            yield alone, encoder, decoder, "1" if without else decoder
        elif found[0]:
            alone, decoder = found[0]
            yield alone, alone, decoder, decoder


def equation_of(equation, which):
    """The equation of a stack; which: 1 encoder, 2 decoder, 3 where a decoder attends to its encoder."""
    own = copy.deepcopy(equation)
    for found in constants(equation.stacks):
        said = lambda text: text.replace(found[0], found[which])
        own.field = {field: said(text) if field in ("start", "streams") else text for field, text in own.field.items()}
        own.rules = {letter: [(*place, said(text)) for *place, text in rules] for letter, rules in own.rules.items()}
    return own


class Stack(Net):
    """Rows are sentences, filled up with FILL. A profiling pass has one more of a single token, PADDING, that sees none: it counts as
    often as the batch has rows without a sentence."""

    def asked_of(self, name, sub, x):
        of = self.memory if sub == CROSS else x
        return self.linear(name + ".c_q", x), self.linear(name + ".c_k", of), self.linear(name + ".c_v", of)

    def read(self, tokens, u):
        self.tokens = tokens
        return super().read(tokens, u)

    def there(self, rows):
        real = rows[:-1][self.tokens[:-1] != FILL]
        return np.vstack([real, np.repeat(rows[-1, :1], self.keys["batch"] * self.context - len(real), 0)])

    def sees(self, sub, T):
        seen = (self.tokens != FILL)[:, None, None]
        if self.profile:
            seen[-1] = False
        return seen


class Encoder(Stack):
    stack = "src."

    def table(self):
        return "wte.weight" if self.keys["shared_embeddings"] else "src.wte.weight"


class Decoder(Stack):
    order = ATTN, CROSS, MLP

    def __init__(self, equation, encoder, *more):
        self.cross, self.encoder = equation_of(equation, 3), encoder
        super().__init__(equation_of(equation, 2), *more)

    def start(self, name):
        return (self.cross if ".cross." in name else self.e).field.get("start")

    def sees(self, sub, T):
        return self.encoder.sees(sub, T) if sub == CROSS else super().sees(sub, T) & np.tri(T, dtype=bool)


class Pairs:
    """What equation_train.py trains: the two of them with one set of weights."""

    def __init__(self, equation, keys, normals):
        self.keys, self.context, self.weights = keys, keys["context"], {}
        if keys["shared_embeddings"]:
            normals = {name: z for name, z in normals.items() if not name.startswith("src.wte.")}
        of = lambda source: {name: z for name, z in normals.items() if name.startswith("src.") == source}
        self.encoder = Encoder(equation_of(equation, 1), keys, of(True), self.weights)
        self.decoder = Decoder(equation, self.encoder, keys, of(False), self.weights)

    def profiles(self, on):
        self.encoder.profile = self.decoder.profile = on

    def unit_lengths(self):
        self.decoder.unit_lengths()

    def loss(self, source, tokens, targets, u, smoothing=0):
        if self.encoder.profile:
            source, tokens, targets = padded(source, PADDING), padded(tokens, PADDING), padded(targets, FILL)
        self.decoder.memory = self.encoder.read(source, u)
        return mean_loss(self.decoder.logits(self.decoder.read(tokens, u), u), targets, smoothing)


def padded(rows, token):
    return np.vstack([rows, [[token] + [FILL] * (rows.shape[1] - 1)]])


def filled(sentences):
    rows = np.full((len(sentences), max(map(len, sentences))), FILL)
    for row, sentence in zip(rows, sentences):
        row[:len(sentence)] = sentence
    return rows


def batch_of_pairs(pairs):
    """(source, tokens, targets) of sentences that end with the line's end: it precedes a target's first token, too."""
    sources, targets = zip(*pairs)
    return filled(sources), filled([[t[-1], *t[:-1]] for t in targets]), filled(targets)


def encoded_pairs(paths, letters):
    """Pairs of training, then of validation, which has the last tenth of the lines."""
    sides = []
    for path in paths:
        with open(path) as stream:
            sides.append([[letters[c] for c in line] for line in stream])
    pairs = list(zip(*sides))
    cut = len(pairs) - len(pairs) // 10
    return pairs[:cut], pairs[cut:]
