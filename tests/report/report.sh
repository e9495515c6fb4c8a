#!/usr/bin/env bash
# normbench report over tiny real runs: the page's structure and the order of its parts, where its first result stands on a
# desk's and a phone's first screen, colours in the dark, every figure on a screenshot of headless Chromium, the PDF without a
# warning of LaTeX and with a result on page 1, the same bytes twice, and what it says when something is missing. TAP.
# report.sh PROGRAM ROOT
. "$(dirname "$0")/../lib.sh"
[ $# -eq 2 ] || { echo "usage: report.sh PROGRAM ROOT" >&2; exit 2; }
program=$(realpath "$1") here=$(dirname "$(realpath "$0")")
export TMPDIR=$T W=$T
cd "$T" || exit 3
. "$here/../cli/e2e_claims.sh"
seq 1 3000 | tr '\n' ' ' >words.txt # the built-in source takes nine times as long
claims_tree text:words.txt
cat >"$W/tree/bench/experiments/rates.yaml" <<'YAML'
name: rates
title: "A sweep, 50% & <odd> \"letters\" #1_x"
dataset: "text:words.txt"
layers: 3
width: 16
heads: 2
context: 16
batch: 8
steps: 12
evaluate_at: 0,12
curve_every: 4
curve_batches: 1
lr: [1e-3, 1e-2, 1]
arms:
  a: {variant: pre, label: "Pre <LN> & co"}
  b: {variant: post}
profiles:
  smoke: {seeds: 3}
YAML
nb() { "$program" "$@" --results "$T/r" >"$T/out" 2>"$T/err"; }

report "with nothing run it says so" "$(nb report; [ $? = 3 ] || echo "exit is not 3"
  grep -q 'report: no experiment is complete in .*: normbench run NAME' "$T/err" || cat "$T/err"
  [ ! -e "$T/r/out/report" ] || echo "something was written")"
report "the experiments run" "$(nb run tiny --profile smoke && nb run rates --profile smoke || tail -3 "$T/err")"
start=$(date +%s%N)
report "it is made" "$(nb report || tail -3 "$T/err"; grep 'LaTeX' "$T/err")"
took=$((($(date +%s%N) - start) / 1000000))
page=$T/r/out/report/report.html
report "the PDF is one" "$([ "$(head -c 5 "$T/r/out/report/report.pdf" 2>&1)" = '%PDF-' ] || echo "it is not")"
echo "# $took ms with TeX"
figures=$(sed -n 's|.*/report.html: \([0-9]*\) figures$|\1|p' "$T/err")
report "the page is well formed and needs nothing from outside" "$(python3 "$here/report_page.py" "$page" "$figures" 2>&1 <<'WORDS'
A sweep, 50% & <odd> "letters" #1_x
Pre <LN> & co
Wider is better.
reproduced
not run
a translation task
A write-up that nobody wrote
reported 4.5
Builds and machines
largest stable rate
2 experiments, 42 runs, trained on
WORDS
)"
report "asked, found and open come first; all else is folded, what was not run last" "$(python3 - "$page" 2>&1 <<'PY'
import re, sys
page = open(sys.argv[1], encoding="utf-8").read()
at = [page.find(x) for x in ('class="short">In short: of ', '<section id="asked">', '<section id="answer">', 'class="interval"',
                             '<section id="open">', '<section id="details">', '<details class="fold">')]
at += [page.find(x, at[-1]) for x in ('class="answer">After 40 steps on', 'class="plot"', '<table', 'id="claims"', 'id="not-run"')]
if -1 in at or at != sorted(at): print("not in this order:", at)
first, rest = page[:at[5]], page[at[5]:]
if "<details" in first or 'class="plot"' in first: print("the first page folds something, or has a large figure")
if len(re.findall(r'<a href="#(tiny|rates)-[0-9a-f]{8}">', first)) != 2: print("no link from a row to its details")
outside = re.sub(r"(?s)<details.*?>.*", "", rest)
if "<table" in outside or "<figure" in outside: print("something behind the first page is not folded")
if "not run: " in page[:at[-1]]: print("something that was not run stands before the end")
if "</details>\n</section>\n</main>" not in page[at[-1]:]: print("something stands behind it")
claims = page[at[-2]:at[-1]]
words = re.findall(r'class="text words verdict v-([a-z-]+)"', claims)
if words[:3] != ["reproduced", "open", "not-tested"]: print("verdicts:", words)
if "Its own sizes (parameters on tokens): A 19k on 5k of synthetic, 1 seed. Sizes of runs here: a 13.6k on " not in claims: print("sizes:", claims)
figures = re.findall(r"<figcaption[^>]*>(.*?)</figcaption>", page, re.S)
mute = [f for f in figures if "Look " not in f]
if mute: print("no sentence says what to see:", mute[0])
best = [f for f in figures if "may lie beyond" in f]
if len(best) != 1 or not re.search(r"may lie beyond: Pre .* at (1e-3|1e-2|1)( \(an end\))?, ", best[0]): print("rates:", best)
PY
)"
report "the answer says what the numbers say" "$(python3 - "$page" "$T/r/runs" 2>&1 <<'PY'
import glob, html, json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
said = html.unescape(re.search(r'class="answer">(After 40 steps.*?)</p>', page).group(1))
runs = [json.load(open(f)) for f in glob.glob(sys.argv[2] + "/*/record.json")]
loss = {}
for r in runs:
    spec = dict(l.split(" = ") for l in r["spec"].splitlines())
    if spec["steps"] == "40": loss[spec["width"], spec["clip"], spec["seed"]] = r["evaluations"][-1]["valid_loss"]
def mean(width):
    d = [v - loss[w, "1", s] for (w, c, s), v in loss.items() if w == width and c == "2"]
    if len(d) != 6: print(len(d), "seeds")
    return sum(d) / 6
found = sorted(float(x) for pair in re.findall(r"\(([-+0-9.]+)(?: to ([-+0-9.]+))? nats\)", said) for x in pair if x)
wanted = sorted([mean("16"), mean("32")])
if len(found) != 2 or max(abs(a - b) for a, b in zip(found, wanted)) > 6e-5: print(wanted, "but", said)
if "2 settings of width): same is " not in said: print(said)
if "2/64 is the smallest that 6 seeds allow" not in said: print(said)
if not re.search(r"[^>]*[0-9]+ of 18 runs diverged; they .* 3 seeds cannot decide it: the smallest possible p is 2/8, .* 6 seeds can", page):
    print("it does not say what 3 seeds cannot decide")
drawn = page[page.index(">After 40 steps"):].split("</figure>")[0] # at two widths
if len(re.findall(r", p [0-9]+/64</text>", drawn)) != 2 * 2: print("not both p's in the forest plot")
PY
)"
report "the same results give the same bytes" "$({ cd "$T/r/out/report" && sha256sum -- * >"$T/first" && nb report && sha256sum --check --quiet "$T/first"; } 2>&1)"

# A copy of the page that also writes down where its figures stand, then a screenshot of the page itself at half size.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
chrome=("$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$T/chrome"
  --blink-settings=preferredColorScheme=1 --window-size=1200,900)
figures_drawn() {
  [ -n "$browser" ] || { echo "no Chromium on this machine"; return; }
  sed 's|</body>|<pre id="places"></pre><script>document.getElementById("places").textContent = [["page", 0, 0, 1200, document.documentElement.scrollHeight]].concat([...document.querySelectorAll(".plot svg")].filter(f => f.getBoundingClientRect().width).map(f => { const r = f.getBoundingClientRect(); return ["figure", r.left, r.top, r.width, r.height]; })).map(x => x.join(" ")).join("\\n");</script></body>|; s/<details\([^>]*\)>/<details\1 open>/g' \
    "$page" >"$T/places.html"
  sed 's/<details\([^>]*\)>/<details\1 open>/g' "$page" >"$T/open.html" # what is folded has to be drawn as well
  timeout 120 "${chrome[@]}" --dump-dom "file://$T/places.html" 2>/dev/null |
    sed -n '/<pre id="places">/,/<\/pre>/p' | grep -oE '(page|figure)( [0-9.-]+){4}' >"$T/places"
  height=$(sed -n 's/^page 0 0 1200 //p' "$T/places")
  [ -n "$height" ] || { echo "Chromium does not lay the page out"; return; }
  timeout 120 "${chrome[@]}" --force-device-scale-factor=0.5 --window-size=1200,"$height" \
    --screenshot="$T/shot.png" "file://$T/open.html" >/dev/null 2>&1
  python3 - "$T/shot.png" "$T/places" "$figures" <<'PY'
import struct, sys, zlib
data, at, packed = open(sys.argv[1], "rb").read(), 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    body = data[at + 8:at + 8 + size]
    if kind == b"IHDR": width, height, depth, colour = struct.unpack(">IIBB", body[:10])
    if kind == b"IDAT": packed += body
    at += 12 + size
bytes_per = {2: 3, 6: 4}[colour]
assert depth == 8
raw, stride, rows = zlib.decompress(packed), width * bytes_per, []
before = bytearray(stride)
for y in range(height):
    how, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
    for i in range(stride) if how else ():
        a = line[i - bytes_per] if i >= bytes_per else 0
        b = before[i]
        c = before[i - bytes_per] if i >= bytes_per else 0
        if how == 1: p = a
        elif how == 2: p = b
        elif how == 3: p = (a + b) // 2
        else: p = min((a, b, c), key=lambda v: abs(a + b - c - v))
        line[i] = (line[i] + p) & 255
    rows.append(line)
    before = line
figures = [list(map(float, l.split()[1:])) for l in open(sys.argv[2]) if l.startswith("figure")]
if len(figures) != int(sys.argv[3]): print(len(figures), "figures on the page instead of", sys.argv[3])
for n, (left, top, w, h) in enumerate(figures, 1):
    ink = colours = count = 0
    for y in range(int(top / 2), min(int((top + h) / 2), height)):
        for x in range(int(left / 2), min(int((left + w) / 2), width)):
            r, g, b = rows[y][x * bytes_per:x * bytes_per + 3]
            count += 1
            ink += min(r, g, b) < 200
            colours += max(r, g, b) - min(r, g, b) > 60
    if count < 20000: print(f"figure {n} is {count} pixels small, or beyond the page")
    elif ink < 0.01 * count or colours < 60: print(f"figure {n} is not drawn: {ink} dark and {colours} coloured of {count} pixels")
PY
}
report "every figure is drawn on a screenshot" "$(figures_drawn 2>&1)"

# The page in a frame of a screen's size: Chromium's own window is never narrower than 500 pixels. Prints what is wrong.
screen() { # width, height
  python3 - "$page" "$1" "$2" >"$T/frame.html" <<'PY'
import html, sys
page, width, height = open(sys.argv[1], encoding="utf-8").read(), sys.argv[2], sys.argv[3]
print(f"""<!DOCTYPE html><iframe id="frame" style="border:0;width:{width}px;height:{height}px" srcdoc="{html.escape(page)}"></iframe>
<pre id="found"></pre><script>
onload = () => {{
  const w = frame.contentWindow, d = w.document, bad = [];
  const show = (what, ok) => {{ if (!ok) bad.push("BA" + "D " + what); }};
  const bottom = (name) => {{ const e = d.querySelector(name); return e ? e.getBoundingClientRect().bottom : 1e9; }};
  show("the frame is " + w.innerWidth, w.innerWidth == {width} && w.innerHeight == {height});
  show("the answer ends at " + bottom(".short"), bottom(".short") <= {height});
  if ({width} > 1000) show("the first picture ends at " + bottom(".interval"), bottom(".interval") <= {height});
  d.querySelectorAll("details").forEach(e => e.open = true);
  const wide = d.scrollingElement.scrollWidth;
  show("the page is " + wide + " wide", wide <= w.innerWidth);
  d.querySelectorAll("main *").forEach(e => {{
    const r = e.getBoundingClientRect();
    if (r.width && r.right > w.innerWidth + 1 && !e.closest(".wide")) show(e.tagName + "." + e.className + " reaches to " + r.right, false);
  }});
  found.textContent = ["MEAS" + "URED"].concat(bad).join("\\n");
}};
</script>""")
PY
  timeout 120 "${chrome[@]}" --dump-dom "file://$T/frame.html" 2>/dev/null |
    sed -n '/<pre id="found">/,/<\/pre>/p' | grep -oE 'MEASURED|BAD .*' >"$T/found"
  grep -q MEASURED "$T/found" || echo "Chromium did not lay the page out"
  grep BAD "$T/found"
}
report "a desk's first screen shows a result" "$(screen 1300 800)"
report "a phone's first screen shows a result, and nothing runs off it" "$(screen 390 844)"

# Every word and line is told from the page's colour, in the dark too.
contrast() { # 0 dark, 1 light; what the page's colour has to be
  sed 's|</body>|<pre id="found"></pre><script>{const lum = c => { const v = c.match(/[0-9.]+/g).slice(0, 3).map(x => x / 255).map(x => x > .03928 ? ((x + .055) / 1.055) ** 2.4 : x / 12.92); return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; }; const page = lum(getComputedStyle(document.body).backgroundColor), bad = []; const see = (what, c, least) => { const l = lum(c), r = (Math.max(l, page) + .05) / (Math.min(l, page) + .05); if (!(r >= least)) bad.push("BA" + "D " + what + " " + c + " " + r.toFixed(2)); }; document.querySelectorAll("p, td, th, h1, h2, h3, li, a, summary, small, figcaption, caption").forEach(e => see(e.tagName + "." + e.className, getComputedStyle(e).color, 4.5)); document.querySelectorAll(".plot svg text").forEach(e => see("text in a figure: " + e.textContent.trim(), getComputedStyle(e).fill, 4)); document.querySelectorAll(".plot svg rect").forEach(e => { const f = getComputedStyle(e).fill; if (f != "none" \&\& e.getBoundingClientRect().width > 500 \&\& Math.abs(lum(f) - page) > .01) bad.push("BA" + "D a figure has a background: " + f); }); document.getElementById("found").textContent = ["PAG" + "E " + (page < .1 ? "dark" : "light")].concat([...new Set(bad)]).join("\\n");}</script></body>|' \
    "$page" >"$T/colours.html"
  timeout 120 "${chrome[@]}" --blink-settings=preferredColorScheme="$1" --dump-dom "file://$T/colours.html" 2>/dev/null |
    sed -n '/<pre id="found">/,/<\/pre>/p' | grep -oE 'PAGE [a-z]+|BAD .*' >"$T/found"
  grep -qx "PAGE $2" "$T/found" || echo "the page is not $2: $(head -1 "$T/found")"
  grep BAD "$T/found"
}
report "on a light page everything can be read" "$(contrast 1 light)"
report "on a dark page everything can be read" "$(contrast 0 dark)"

report "page 1 of the PDF has the abstract with the answer" "$(python3 - "$T/r/out/report/report.pdf" 2>&1 <<'PY'
import re, sys, zlib
pdf = open(sys.argv[1], "rb").read()
first = zlib.decompressobj().decompress(re.search(rb"stream\r?\n(.*?)endstream", pdf, re.S).group(1)) # pdfTeX writes page 1 first
words = re.sub(r"\W+", "", "".join(re.findall(r"\(((?:\\.|[^()\\])*)\)", first.decode("latin-1"))))
for wanted in ("Abstract", "In short of", "After 40 steps on", "What was asked", "Builds and machines"):
    there = re.sub(r"\W+", "", wanted) in words
    if there == (wanted == "Builds and machines"): print(wanted, "there" if there else "missing:", words[:300])
PY
)"
report "the PDF has every part of a paper, and report.bib what it cites" "$(
  command -v pdftotext >/dev/null || { echo "no pdftotext (poppler-utils)"; exit; }
  pdftotext -layout "$T/r/out/report/report.pdf" "$T/pdf.txt"
  for words in 'Methods' 'What was found' 'What is open' 'References' 'Xiong' 'Builds and machines' 'Look where each interval'; do
    tr -s ' \n' ' ' <"$T/pdf.txt" | grep -q "$words" || echo "no $words"
  done
  tr -s ' \n' ' ' <"$T/pdf.txt" | grep -qE 'tested the verdicts are: [0-9a-z ,]*\.' || echo "the verdicts are no sentence"
  grep -q 'leave open, and what is done here' "$T/pdf.txt" || echo "no section of the choices"
  grep -q '??' "$T/pdf.txt" && echo "a reference is not resolved"
  grep -q '^@inproceedings{xiong2020layer,' "$T/r/out/report/report.bib" || echo "report.bib lacks Pre-LN's paper")"

hidden=$(grep -l 'width = 32' "$T"/r/runs/*/record.json | head -1) # a run of tiny
hidden=${hidden%/*}
mv "$hidden" "$T/hidden"
report "an experiment that lacks a run is named" "$(nb report || tail -3 "$T/err"
  wanted='tiny smoke: 1 of [0-9]+ runs are missing .normbench run tiny --profile smoke'
  grep -qE "note: not shown: $wanted" "$T/err" || cat "$T/err"
  sed -n '/<section id="open">/,$p' "$page" | grep -qE "<li>$wanted" || echo "the page does not name it"
  command -v pdftotext >/dev/null && pdftotext "$T/r/out/report/report.pdf" - | grep 'leave open, and what' && echo "a section is empty"
  nb claims; grep -qE "note: not shown: $wanted" "$T/err" || echo "claims does not name it")"
mv "$T/hidden" "$hidden"

mkdir "$T/bare"
report "without gnuplot and TeX the page stands and says so" "$(PATH=$T/bare nb report || echo "it fails: $(tail -1 "$T/err")"
  grep -q 'note: no figures: gnuplot' "$T/err" && grep -q 'note: no report.pdf: .*pdflatex' "$T/err" || cat "$T/err"
  grep -q 'class="banner">No figures: ' "$page" || echo "the page does not say so"; grep -c 'class="plot"' "$page" | grep -vx 0
  grep -q 'class="answer">After 40 steps' "$page" || echo "the answer in words needs none of them, and is not there")"

# What is not of bench/experiments: a file of the user's, and the same experiment with something changed.
mkdir "$T/a b"
sed 's/^name: .*/name: mine/; s/^title: .*/title: "Mine, not yours"/; /^lr:/d; s/^profiles:/seeds: 6/; /^  smoke:/d' \
  "$W/tree/bench/experiments/rates.yaml" >"$T/a b/mine.yaml"
own_experiments() {
  nb run "$T/a b/mine.yaml" && nb run rates --set lr=3e-3 --seeds 2 && nb run tiny --set precision=bf16 --backend soft-dot \
    || { tail -3 "$T/err"; return; }
  nb table "$T/a b/mine.yaml" || tail -3 "$T/err"
  nb report || tail -3 "$T/err"
  figures=$(sed -n 's|.*/report.html: \([0-9]*\) figures$|\1|p' "$T/err")
  python3 "$here/report_page.py" "$page" "$figures" <<'WORDS'
5 experiments
Mine, not yours
Changed on the command line: --set lr=3e-3 --set seeds=2. So it is exploratory.
Changed on the command line: --set precision=bf16.
arithmetic bf16-dot
WORDS
  grep -qE '<a href="\.\./mine-[0-9a-f]{8}/mine\.json">' "$page" || echo "no link to the files of mine"
  grep -qE '<code>normbench run mine-[0-9a-f]{8}</code>' "$page" || echo "it does not say how mine is run again"
  python3 - "$page" <<'PY'
import re, sys
page = open(sys.argv[1], encoding="utf-8").read()
answers = re.findall(r'<details class="fold"><summary>(.*?) <small>[0-9]+ runs</small></summary>(.*?)</div></details>', page, re.S)
titles = [a[0] for a in answers]
if titles[-1].startswith("Mine") or len(set(titles)) != 5: print("titles:", titles)
mine = [a[1] for a in answers if a[0] == "Mine, not yours"][0]
if "6 paired seeds" not in mine or "b is " not in mine or 'class="plot"' not in mine: print("mine:", mine[:500])
PY
  grep -qE '>mine: plan [0-9a-f]{16}, ' "$page" || echo "the plan of mine is not named"
  grep -q 'LaTeX' "$T/err" && cat "$T/err"
  nb report --output "$T/else" || tail -3 "$T/err"
  python3 "$here/report_page.py" "$T/else/report.html" "$figures" </dev/null
  mv "$T/a b/mine.yaml" "$T/a b/gone.yaml"
  nb report || tail -3 "$T/err"
  grep 'note: not shown: .*mine' "$T/err" && echo "a plan whose file is gone is not shown"
  grep -q 'Mine, not yours' "$page" || echo "a plan whose file is gone is not on the page"
}
report "the user's own experiments are in it, by name, with their files" "$(own_experiments 2>&1)"
echo "1..$number"
