#!/usr/bin/env python3
"""Names, titles, paths and texts that mean something to a browser, to LaTeX, to gnuplot, to a terminal: each is refused with
one line, or stands in page, PDF, figure and table as text. TAP.

  names.py PROGRAM ROOT [--quick]     --quick: a page and the text files alone, without gnuplot and LaTeX"""
import argparse, csv, glob, html.parser, io, json, os, sys, tempfile, xml.etree.ElementTree as tree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), os.pardir, "faults"))
from calls import RUN
from world import CLAIMS, EXPERIMENT, World, signal_name

# WITNESS: a file that a command would make; SECRET: one that an \\input would read, and stop at.
TEXTS = {
    "a tag": '<hostile-tag onevil="alert(1)">&lt;</hostile-tag>',
    "an attribute": '" onevil="alert(1)" x=\'',
    "an end of a comment": "--> ]]> </text></svg></script><hostile-tag>",
    "an entity": "&hostile; &#0; &#x1b;",
    "\\write18": r"\immediate\write18{touch WITNESS}",
    "\\input": r"\input{SECRET} \csname input\endcsname s",
    "characters of LaTeX": r"$x_1^2$ 100% ~ # & { } \\ \def\x{\x}\x\end{document}",
    "^^ notation": "^^5cinput{SECRET} ^^5c^^77rite18{a}",
    "system in gnuplot": "\"; system('touch WITNESS'); \"",
    "system in gnuplot's other quotes": "'; system(\"touch WITNESS\"); '",
    "backquotes": "`touch WITNESS` $(touch WITNESS) @hostile",
    "enhanced text": r"{/Symbol a}_{b}^{c} &{d} \n \t %d %s %n",
    "a formula": '=cmd|" /C touch WITNESS"!A0',
    "commas": 'a,b;"c",\'d\'',
    "letters beyond Latin": "Ünï \u4f60\u597d \u202egnp.exe \U0001f600 \ufeff \u200b",
    "no code points": "\ufffe \uffff",
}
# Not representable, or too long: refused wherever a name is read.
REFUSED = {
    "a line break": b'"a\\nb"', "a return": b'"a\\rb"', "an escape sequence": b'"\\e[31mred"', "a zero byte": b'"a\\0b"',
    "invalid UTF-8": b'"\xff\xfe"', "an overlong form": b'"\xc0\xafetc"', "4 KiB": b"x" * 4096, "a surrogate": b'"\xed\xa0\x80"',
}


class Tags(html.parser.HTMLParser):
    wrong = ""

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name.startswith("on") or (value or "").strip().lower().startswith("javascript:"):
                self.wrong = f"the attribute {name}={value!r}"
        if tag == "hostile-tag":
            self.wrong = "a tag of the text's own"


def what_is_wrong_in(path):
    """A file that the program wrote."""
    with open(path, "rb") as file:
        content = file.read()
    if path.endswith(".pdf"):
        return "" if content.startswith(b"%PDF") else "no PDF"
    try:
        text = content.decode()
    except UnicodeDecodeError as problem:
        return f"not UTF-8: {problem}"
    if any(c < " " and c not in "\n\t" or "\x7f" <= c < "\xa0" for c in text):
        return "a control character"
    if path.endswith(".html"):
        tags = Tags()
        tags.feed(text)
        return tags.wrong
    if path.endswith(".svg"):
        try:
            named = [e.tag for e in tree.fromstring(text).iter() if isinstance(e.tag, str) and "hostile" in e.tag]
            return "a tag of the text's own" if named else ""
        except tree.ParseError as problem:
            return f"no XML: {problem}"
    if path.endswith(".json"):
        json.loads(text)
    if path.endswith(".csv"):
        rows = [row for row in csv.reader(io.StringIO(text), strict=True) if row and not row[0].startswith("#")]
        return "" if len({len(row) for row in rows}) <= 1 else f"rows of {sorted({len(row) for row in rows})} columns"
    if path.endswith(".tex"):
        for line in text.split("\n"):
            for evil in ("\\write18", "\\input{", "\\immediate", "\\csname", "^^5c"):
                if evil in line.split("%")[0].replace("\\textbackslash", ""):
                    return f"{evil}: {line[:120]}"
    return ""


class Names:
    def __init__(self, world, short, quick):
        self.world, self.short, self.quick = world, short, quick
        self.witness, self.secret = os.path.join(self.short, "w"), os.path.join(self.short, "s")
        with open(self.secret + ".tex", "w") as file:
            file.write("\\nosuchcommand\n")
        self.texts = {name: text.replace("WITNESS", self.witness).replace("SECRET", self.secret) for name, text in TEXTS.items()}
        if not quick:
            for name in ("PATH", "HOME"):  # TeX makes the fonts that it lacks below HOME
                world.environment[name] = os.environ.get(name, world.top)

    def done(self, arguments, codes=(0,)):
        """Runs the program; what is wrong."""
        code, self.out, err = self.world.run(arguments, limit=300)
        self.err = err
        if os.path.exists(self.witness):
            os.remove(self.witness)
            return "a command of the text's own ran"
        if code not in codes:
            return f"exit {signal_name(code)}: {arguments[0]}: {err[-400:]}"
        if any(c < " " and c not in "\n\t" or "\x7f" <= c < "\xa0" for c in self.out + err):
            return f"{arguments[0]}: a control character on the terminal"
        return ""

    def refused(self, arguments):
        wrong = self.done(arguments, codes=(2,))
        lines = self.err.count("\n")
        return wrong or ("" if lines == 1 and self.err.startswith("normbench: ") else f"{lines} lines: {self.err[:300]}")

    def written(self, folder, endings):
        """What is wrong in the files of these endings; each must be there."""
        wrong, self.tries = [], 0
        for ending in endings:
            found = glob.glob(os.path.join(self.world.work, glob.escape(folder), "**", "*" + ending), recursive=True)
            if not found:
                wrong.append(f"no file *{ending}")
            for path in sorted(found):
                self.tries += 1
                bad = what_is_wrong_in(path)
                if bad:
                    wrong.append(f"{os.path.relpath(path, self.world.work)}: {bad}")
        return wrong


def quoted(text):
    """In yaml, which takes the last characters only by number."""
    out = json.dumps(text, ensure_ascii=False)
    return "".join(f"\\u{ord(c):04x}" if c in "\ufffe\uffff\ufeff" else c for c in out)


def refusals(names):
    """Every text at every place where a name is read that becomes a key or a path; then what no place takes."""
    world, failures, tries = names.world, [], 0
    places = {"name": "name: one\n", "arm": "  plain: {", "title": "title: t\n", "label": "label: l,"}
    plain = EXPERIMENT.format(name="one", steps=2).replace("name: one\n", "name: one\ntitle: t\n")
    plain = plain.replace("{variant: pre}", "{label: l, variant: pre}")
    for place, old in places.items():
        some = {} if place in ("title", "label") else {n: quoted(t).encode() for n, t in names.texts.items()}
        for name, text in {**some, **REFUSED}.items():
            new = old.encode().replace(b" one", b" " + text).replace(b" t\n", b" " + text + b"\n").replace(b" l,", b" " + text + b",")
            new = new if place != "arm" else b"  " + text + b": {"
            with open(os.path.join(world.work, "bad.yaml"), "wb") as file:
                file.write(plain.encode().replace(old.encode(), new, 1))
            wrong = names.refused(["run", "bad.yaml", "--offline", "--dry-run", "--results", "none"])
            tries += 1
            failures += [f"{place}, {name}: {wrong}"] if wrong else []
    for name, text in names.texts.items():
        for arguments in (["table", "one.yaml", "--name", text], ["run", "one.yaml", "--arm", text], ["explain", text],
                          ["run", text], ["run", "one.yaml", "--set", text], ["data", "verify", text], [text]):
            wrong = names.refused([*arguments, "--offline", "--results", "none"] if arguments[0] == "run" else arguments)
            tries += 1
            failures += [f"{arguments[0]} {arguments[-2]}, {name}: {wrong}"] if wrong else []
    world.report("hostile name", "keys, folders and the command line", tries, failures)


def tables(names):
    """All texts as labels of one experiment, as its title, and as those of its write-up; corpus and results have such names too."""
    world, results, corpus = names.world, "r'`\"; $(x) <b>&", "a<b>`'\"; $x \\input{b}.txt"
    texts = list(names.texts.values())
    arms = "".join(f"  a{i}: {{variant: pre, clip: {1 + i / 100}, label: {quoted(t)}}}\n" for i, t in enumerate(texts))
    plain = EXPERIMENT.format(name="toy", steps=2).replace("dataset: text:text.txt", "dataset: " + quoted("text:" + corpus))
    os.rename(os.path.join(world.work, "text.txt"), os.path.join(world.work, corpus))
    title = quoted(" ".join(texts)[:150])
    world.write("root/bench/experiments/toy.yaml", plain.replace("  plain:", arms + "  plain:") + 'writeup: "900"\ntitle: ' + title + "\n")
    wrong, tries = [], 0
    step = names.done(["run", "toy", "--offline", "--threads", "1", "--results", results])
    wrong += [step] if step else []
    for name, text in names.texts.items():
        claim = CLAIMS.replace("title: Nothing", f"title: {quoted(text)}").replace("source: nobody", f"source: {quoted(text)}")
        claim = claim.replace('says: "Ours is worse."', f"says: {quoted(text)}").replace('choices: ["None."]', f"choices: [{quoted(text)}]")
        claim = claim.replace("where: nowhere", f"where: {quoted(text)}")
        world.write("root/bench/claims/900.yaml", claim)
        for form in ("--format=json", "--format=tex", "--own"):
            step = names.done(["claims", "--results", results, form])
            tries += 1
            wrong += [f"claims {form}, {name}: {step}"] if step else []
            if form == "--format=json" and not step and text not in json.loads(names.out)["writeups"][0]["title"]:
                wrong.append(f"claims --format json, {name}: the title is not the text")
            if not step and form != "--format=json":
                path = os.path.join(world.top, "ledger.tex")
                with open(path, "w") as file:
                    file.write(names.out)
                bad = what_is_wrong_in(path) if form == "--format=tex" else ""
                wrong += [f"claims {form}, {name}: {bad}"] if bad else []
    if not names.quick:  # TeX's fonts lack some letters, and the line says which; the other texts are set without them
        step = names.done(["table", "toy", "--pdf", "--results", results], codes=(3,))
        step = step or ("" if "Unicode character" in names.err else f"the letter is not named: {names.err[-200:]}")
        set_by_tex = "".join(a + "\n" for a, t in zip(arms.split("\n"), texts) if max(t) < "\u2000")
        world.write("set.yaml", plain.replace("name: toy", "name: set").replace("  plain:", set_by_tex + "  plain:"))
        step = step or names.done(["run", "set.yaml", "--offline", "--threads", "1", "--results", results])
        step = step or names.done(["table", "set.yaml", "--pdf", "--results", results])
        tries += 2
        wrong += [f"table --pdf: {step}"] if step else []
    for arguments in (["table", "toy"], ["table", "toy", "--paper", "--style", "siunitx"], ["report"],
                      ["runs", "toy"], ["runs", "toy", "--format", "json"], ["status", "toy"], ["show", "plain"], ["trace", "toy: a1 - a0"],
                      ["archive", "toy", "-o", "a.tar"], ["list"]):
        step = names.done([*arguments, *(["--results", results] if arguments[0] != "list" else [])])
        tries += 1
        wrong += [f"{' '.join(arguments)}: {step}"] if step else []
    endings = (".html", ".json", ".csv", ".tex", ".txt") + (() if names.quick else (".svg", ".pdf"))
    wrong += names.written(results, endings)
    world.report("hostile name", "labels, titles, claims, corpus and results in every output", tries + names.tries, wrong)


def compared(names):
    """The same texts as arms of anybody's numbers."""
    world, wrong, tries = names.world, [], 0
    texts = [t for t in names.texts.values() if "\ufffe" not in t]
    rows = [{"seed": s, "arm": t, "value": 3 + s / 100 + i / 50 + s * i % 7 / 1000} for s in range(1, 9) for i, t in enumerate(texts)]
    world.write("arms.json", json.dumps(rows))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([["seed", *texts], *([s] + [r["value"] for r in rows if r["seed"] == s] for s in range(1, 9))])
    world.write("arms.csv", out.getvalue())
    os.makedirs(os.path.join(world.work, "drawn"), exist_ok=True)
    for source in ("arms.json", "arms.csv"):
        for form in ([], ["--format=json"], ["--format=tex"], *([] if names.quick else [["-o", f"drawn/{source}.svg"]])):
            step = names.done(["compare", source, *form], codes=(0, 1))
            tries += 1
            wrong += [f"compare {source} {' '.join(form)}: {step}"] if step else []
            if step:
                continue
            path = os.path.join(world.work, "drawn", source + {"--format=json": ".json", "--format=tex": ".tex"}.get("".join(form[:1]), ".txt"))
            with open(path, "w") as file:
                file.write(names.out)
    wrong += names.written("drawn", (".json", ".tex") + (() if names.quick else (".svg",)))
    world.report("hostile name", "arms of compare", tries + names.tries, wrong)


def links(names):
    """Links in the results folder: nothing is written or removed where they lead."""
    world, wrong, tries = names.world, [], 0
    world.must(*RUN)
    word = next(w for w in os.listdir(os.path.join(world.work, "r", "out")) if w.startswith("toy-"))
    elsewhere = os.path.join(world.work, "elsewhere")
    for place, arguments in ((f"r/out/{word}", ["table", "toy"]), ("r/out/report", ["report"]), ("r/out/theory", ["run", "theory"]),
                             (f"r/out/{word}/toy.txt", ["table", "toy"]), (f"r/out/{word}/plan.json", ["table", "toy"]),
                             ("r/out/report/index.html", ["report"])):
        whole = os.path.join(world.work, place)
        os.makedirs(elsewhere, exist_ok=True)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        target = elsewhere if "." not in os.path.basename(place) else os.path.join(elsewhere, "file")
        with open(os.path.join(elsewhere, "file"), "w") as file:
            file.write("somebody's\n")
        aside = whole + ".kept"
        if os.path.lexists(whole):
            os.rename(whole, aside)
        os.symlink(target, whole)
        step = names.done([*arguments, "--results", "r"], codes=(0, 2, 3, 5))
        tries += 1
        with open(os.path.join(elsewhere, "file")) as file:
            content = file.read()
        if step or content != "somebody's\n" or os.listdir(elsewhere) != ["file"]:
            wrong.append(f"{place}: {step or 'written through the link: ' + str(os.listdir(elsewhere))}")
        for name in os.listdir(elsewhere):
            os.remove(os.path.join(elsewhere, name))
        os.remove(whole) if os.path.islink(whole) else None
        if os.path.lexists(aside) and not os.path.lexists(whole):
            os.rename(aside, whole)
    world.report("link", "out of the results folder", tries, wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program"), parser.add_argument("root")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    # A label has 63 bytes: the folder's name is short.
    with World(options.program, options.root, "") as world, tempfile.TemporaryDirectory(prefix="n", dir="/tmp") as short:
        names = Names(world, short, options.quick)
        for part in (refusals, tables, compared, links):
            world.begin()
            part(names)


if __name__ == "__main__":
    main()
