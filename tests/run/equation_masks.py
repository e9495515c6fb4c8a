"""The masks of masked language modeling (Devlin et al. 2019, section 3.1), drawn by Philox4x32-10 as datasets/masking.h says."""
import hashlib

import numpy as np

SHARE, HIDDEN, OTHER = 15, 80, 90  # per cent: chosen; of those hidden, and hidden or another token


def philox(key, counter):
    """Salmon et al. 2011: four words of ten rounds."""
    k, c = [key & 0xffffffff, key >> 32], list(counter)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & 0xffffffff, a >> 32 ^ c[3] ^ k[1], a & 0xffffffff]
        k = [(k[0] + 0x9E3779B9) & 0xffffffff, (k[1] + 0xBB67AE85) & 0xffffffff]
    return c


class Draws:
    """Word i of a step: counter = (offset / 4, stream), offset = step 2^40 + i."""

    def __init__(self, seed, stream, step, first=0):
        name = hashlib.sha256(stream.encode()).digest()[:8]
        self.seed, self.stream, self.first = seed, int.from_bytes(name, "little"), (step << 40) + first

    def __call__(self, i):
        at = self.first + i
        n = at >> 2
        return philox(self.seed, (n & 0xffffffff, n >> 32, self.stream & 0xffffffff, self.stream >> 32))[at & 3]


def masked_row(draws, tokens, vocab):
    """What is read and what is asked for: -1 where nothing is."""
    below = lambda word, share: word * 100 < share << 32
    chosen = [i for i in range(len(tokens)) if below(draws(4 * i), SHARE)] or [draws(3) * len(tokens) >> 32]
    read, asked = np.array(tokens), np.full(len(tokens), -1)
    for i in chosen:
        asked[i], how = tokens[i], draws(4 * i + 1)
        if below(how, HIDDEN):
            read[i] = vocab
        elif below(how, OTHER):
            read[i] = draws(4 * i + 2) * vocab >> 32
    return read, asked


def rows(made):
    return tuple(np.stack(part) for part in zip(*made))


def masked_batch(seed, step, tokens, vocab):
    """tokens [batch, context] of an update."""
    n = tokens.shape[1]
    return rows([masked_row(Draws(seed, "mask", step, 4 * n * b), row, vocab) for b, row in enumerate(tokens)])


def masked_windows(tokens, vocab):
    """tokens [windows, context] of the whole validation."""
    return rows([masked_row(Draws(0, "mask.valid", w), row, vocab) for w, row in enumerate(tokens)])
