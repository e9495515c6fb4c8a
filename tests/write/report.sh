#!/usr/bin/env bash
# normbench report over tiny real runs: the page's structure, every figure on a screenshot of headless Chromium, the PDF
# without a warning of LaTeX, the same bytes twice, and what it says when something is missing. TAP.  report.sh PROGRAM ROOT
set -u
export LC_ALL=C.UTF-8
[ $# -eq 2 ] || { echo "usage: report.sh PROGRAM ROOT" >&2; exit 2; }
program=$(realpath "$1") here=$(dirname "$(realpath "$0")")
T=$(mktemp -d "${TMPDIR:-/tmp}/normbench-report.XXXXXX") || exit 3
trap 'rm -rf "$T"' EXIT
export TMPDIR=$T W=$T
number=0
report() { # name, complaint (empty = ok)
  number=$((number + 1))
  if [ -z "$2" ]; then echo "ok $number - $1"; else
    echo "not ok $number - $1"
    printf '%s\n' "$2" | head -20 | sed 's/^/# /'
  fi
}
. "$here/../cli/e2e_claims.sh"
claims_tree
cat >"$W/tree/bench/experiments/rates.yaml" <<'YAML'
name: rates
title: "A sweep, 50% & <odd> \"letters\" #1_x"
dataset: synthetic
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
report "the page is well formed and needs nothing from outside" "$(python3 - "$page" 2>&1 <<'PY'
import html.parser, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
void = {"meta", "br", "link", "hr", "img"}
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.figures, self.words = [], [], [], 0, []
    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag not in void: self.open.append(tag)
        if "id" in a: self.ids.append(a["id"])
        self.figures += tag == "figure"
        if tag in ("script", "link", "iframe", "img"): print("there is a", tag)
        for key, value in a.items():
            if key.startswith("on"): print("a handler:", key)
            if key in ("href", "src", "xlink:href"):
                if not value.startswith("#"): print("points outside:", value)
                else: self.links.append(value[1:])
    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in void: self.open.pop()
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag: print("not nested:", tag, self.getpos())
    def handle_data(self, data): self.words.append(data)
p = Page(); p.feed(text); p.close()
words = " ".join(p.words)
if p.open: print("left open:", p.open)
if len(set(p.ids)) != len(p.ids): print("an id twice:", [i for i in p.ids if p.ids.count(i) > 1][:3])
for link in set(p.links) - set(p.ids): print("no target:", link)
if p.figures != 11: print(p.figures, "figures instead of 11")
if re.search(r"\b(nan|inf)\b", words, re.I): print("nan or inf in the text")
for wanted in ('A sweep, 50% & <odd> "letters" #1_x', "Pre <LN> & co", "Wider is better.", "reproduced", "not run",
               "a translation task", "A write-up that nobody wrote", "reported 4.5", "Builds and machines",
               "largest stable rate"):
    if wanted not in words: print("it does not say:", wanted)
PY
)"
report "the same results give the same bytes" "$({ cd "$T/r/out/report" && sha256sum -- * >"$T/first" && nb report && sha256sum --check --quiet "$T/first"; } 2>&1)"

# A copy of the page that also writes down where its figures stand, then a screenshot of the page itself at half size.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
chrome=("$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$T/chrome"
  --blink-settings=preferredColorScheme=1 --window-size=1200,900)
figures_drawn() {
  [ -n "$browser" ] || { echo "no Chromium on this machine"; return; }
  sed 's|</body>|<pre id="places"></pre><script>document.getElementById("places").textContent = [["page", 0, 0, 1200, document.documentElement.scrollHeight]].concat([...document.querySelectorAll("figure svg")].map(f => { const r = f.getBoundingClientRect(); return ["figure", r.left, r.top, r.width, r.height]; })).map(x => x.join(" ")).join("\\n");</script></body>|; s/<details>/<details open>/g' \
    "$page" >"$T/places.html"
  sed 's/<details>/<details open>/g' "$page" >"$T/open.html" # what is folded has to be drawn as well
  timeout 120 "${chrome[@]}" --dump-dom "file://$T/places.html" 2>/dev/null |
    sed -n '/<pre id="places">/,/<\/pre>/p' | grep -oE '(page|figure)( [0-9.-]+){4}' >"$T/places"
  height=$(sed -n 's/^page 0 0 1200 //p' "$T/places")
  [ -n "$height" ] || { echo "Chromium does not lay the page out"; return; }
  timeout 120 "${chrome[@]}" --force-device-scale-factor=0.5 --window-size=1200,"$height" \
    --screenshot="$T/shot.png" "file://$T/open.html" >/dev/null 2>&1
  python3 - "$T/shot.png" "$T/places" <<'PY'
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
if len(figures) != 11: print(len(figures), "figures on the page instead of 11")
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

hidden=$(grep -l 'width = 32' "$T"/r/runs/*/record.json | head -1) # a run of tiny
hidden=${hidden%/*}
mv "$hidden" "$T/hidden"
report "an experiment that lacks a run is named" "$(nb report || tail -3 "$T/err"
  wanted='tiny smoke: 1 of [0-9]+ runs are missing .normbench run tiny --profile smoke'
  grep -qE "note: not shown: $wanted" "$T/err" || cat "$T/err"
  grep -qE "<li>$wanted" "$page" || echo "the page does not name it"
  nb claims; grep -qE "note: not shown: $wanted" "$T/err" || echo "claims does not name it")"
mv "$T/hidden" "$hidden"

mkdir "$T/bare"
report "without gnuplot and TeX the page stands and says so" "$(PATH=$T/bare nb report || echo "it fails: $(tail -1 "$T/err")"
  grep -q 'note: no figures: gnuplot' "$T/err" && grep -q 'note: no report.pdf: .*pdflatex' "$T/err" || cat "$T/err"
  grep -q 'class="banner">No figures: ' "$page" || echo "the page does not say so"; grep -c '<figure' "$page" | grep -vx 0)"
echo "1..$number"
