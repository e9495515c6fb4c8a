#!/usr/bin/env python3
"""sacrebleu_equal.py BLEU_LINES CORPUS: words, BLEU and chrF of our C beside those of the package sacrebleu. TAP.

A file of real sentences (Multi30k) against itself with words dropped, doubled, swapped and cut by a seeded generator, and lines made to
be awkward. Words must be equal line by line; scores, of each line and of the corpus, to 1e-12 of themselves."""
import math, random, subprocess, sys, tempfile, os
try:
    import sacrebleu
    from sacrebleu.metrics import BLEU, CHRF
except ImportError:
    print("1..0 # SKIP no package sacrebleu (pip install sacrebleu)")
    sys.exit(0)

ODD = ["", " ", ".", "...", "!?!", ",,,", "1,234.5", "1.", ".5", "a.5", "5.a", "3-4", "-3", "well-known", "e-mail 5-", "x -", "a,b", "a ,b",
       "1,2,3.", "&quot;hi&quot;", "&amp;lt;", "&amp;quot;", "&lt;b&gt;", "&nbsp;", "AT&T", "it's", "don't.", "\u00a0non\u00a0breaking\u00a0",
       "\u6c34\u3002\u706b", "\u4f60\u597d\uff0c\u4e16\u754c.", "\U0001f600.\U0001f600", "\U0001f468\u200d\U0001f469", "tab\there\t", "end  ",
       "a <skipped> b", "<skipped>", "<skip<skipped>ped>", "\u2028x\u2029y", "na\u00efve, caf\u00e9.", "\u00e9.\u00e9,\u00e9", "\u0663.\u0664",
       "a\u3000b", "x\x1fy", "x\x85y", "\u200bzero", "\ufeffbom", "$5.00/kg", "(a)[b]{c}", "~`^_|\\", "\"quoted\"", "100%", "a..b", "1..2",
       "1.-2", "5--6", "a\rb", "..,,..", "a", "a b", "a b c", "a b c d", "The cat sat on the mat ."]
ODD += [a + chr(c) + b for c in range(1, 127) if c != 10 for a, b in (("x", "y"), ("1", "2"))]


def perturbed(line, r):
    words = line.split(" ")
    out = []
    for w in words:
        u = r.random()
        if u < 0.1:
            continue
        out += [w, w] if u < 0.15 else [w[:-1]] if u < 0.2 else [w]
    if len(out) > 2 and r.random() < 0.4:
        i = r.randrange(len(out) - 1)
        out[i], out[i + 1] = out[i + 1], out[i]
    return " ".join(out)


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


def check(name, hyps, refs, program):
    with tempfile.TemporaryDirectory() as t:
        paths = [os.path.join(t, n) for n in ("h", "r")]
        for p, lines in zip(paths, (hyps, refs)):
            open(p, "wb").write("".join(l + "\n" for l in lines).encode())
        out = subprocess.run([program, *paths], check=True, capture_output=True).stdout.decode().split("\n")
    bleu, chrf, bad = BLEU(), CHRF(), []
    tokens = bleu.tokenizer
    for i, (h, r) in enumerate(zip(hyps, refs)):
        scores, words = out[i].split("\t", 1)
        if words != tokens(h.rstrip()):
            bad.append(f"{h!r}: {words!r} instead of {tokens(h.rstrip())!r}")
        want = bleu.corpus_score([h], [[r]]).score, chrf.corpus_score([h], [[r]]).score
        if not all(map(near, map(float, scores.split()), want)):
            bad.append(f"{h!r} / {r!r}: {scores} instead of {want}")
    b = bleu.corpus_score(hyps, [refs])
    want = [b.score, *b.precisions, b.bp, chrf.corpus_score(hyps, [refs]).score]
    got = list(map(float, out[len(hyps)].split()))
    if not all(map(near, got, want)):
        bad.append(f"corpus: {got} instead of {want}")
    print(("not ok" if bad else "ok") + f" {check.n} - {name}: {len(hyps)} lines, BLEU {b.score:.4f}, chrF {want[-1]:.4f}")
    check.n += 1
    for line in bad[:10]:
        print("#", line)


check.n = 1
program, corpus = sys.argv[1:3]
print(f"# sacrebleu {sacrebleu.__version__}")
r = random.Random(1)
for language in ("en", "de"):
    try:
        lines = open(os.path.join(corpus, "val." + language), encoding="utf-8", newline="\n").read().split("\n")[:600]
    except OSError:
        print(f"ok {check.n} - val.{language} # SKIP not in {corpus}")
        check.n += 1
        continue
    check("val." + language, [perturbed(l, r) for l in lines], lines, program)
check("odd lines and themselves", ODD, ODD, program)
check("odd lines and others", ODD, ODD[1:] + ODD[:1], program)
pool = [random.Random(i) for i in range(3)]
alphabet = list("ab1.,-'&;<> \u00e9\u6c34\u00a0\t/") + ["&amp;", "&lt;", "<skipped>", "5", "."]
noise = ["".join(pool[0].choice(alphabet) for _ in range(pool[0].randrange(30))) for _ in range(2000)]
check("noise", noise, [perturbed(l, pool[1]) for l in noise], program)
check("empty hypotheses", [""] * 3, ["a b", ".", "c"], program)
print(f"1..{check.n - 1}")
