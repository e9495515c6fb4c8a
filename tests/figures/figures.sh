#!/usr/bin/env bash
# Figures as gnuplot draws them, over tiny real runs: pages of 170 and 85 mm with type of 7 points, SVGs that take their
# colours from the page, names that a shell and LaTeX take, the same bytes twice. TAP.  figures.sh PROGRAM ROOT
. "$(dirname "$0")/../lib.sh"
[ $# -eq 2 ] || { echo "usage: figures.sh PROGRAM ROOT" >&2; exit 2; }
program=$(realpath "$1")
export NORMBENCH_ROOT=$(realpath "$2")
command -v gnuplot >/dev/null || { echo "1..0 # SKIP no gnuplot"; exit 0; }
export TMPDIR=$T
cat >"$T/sweep.yaml" <<'YAML'
name: sweep
title: "Norm placement by learning rate, 50% & <odd>"
dataset: synthetic
layers: 2
width: 16
heads: 2
context: 16
batch: 8
steps: 12
evaluate_at: 0,12
curve_every: 4
curve_batches: 1
lr: [3e-4, 0.0015, 30]
arms:
  pre: {variant: pre, label: Pre-LN}
  post: {variant: post, label: "Post-LN <x> & co"}
  peri: {variant: peri, label: Peri-LN}
profiles:
  smoke: {seeds: 3}
YAML
table() { "$program" table "$T/sweep.yaml" --profile smoke --results "$T/r" "$@" >"$T/out" 2>"$T/err" || tail -3 "$T/err"; }
"$program" run "$T/sweep.yaml" --profile smoke --results "$T/r" >"$T/out" 2>"$T/err" || { tail -3 "$T/err"; exit 1; }
report "figures are drawn" "$(table; grep 'no figures' "$T/err")"
out=$(dirname "$(find "$T/r/out" -name 'sweep*.json' ! -name '*cost*' | head -1)")
cd "$out" || exit 1
report "PDFs are drawn where LaTeX takes them" "$(ls | grep "pdf\$"; table --paper; [ -s sweep-rates-85mm.pdf ] || echo "no PDF")"

report "every kind is there, by its factors' names" "$(for name in differences rates curves-lr=3e-4 curves-lr=15e-4 curves-lr=30 \
  blocks-lr=3e-4; do
  for ending in .svg .pdf -85mm.pdf; do [ -s "sweep-$name$ending" ] || echo "no sweep-$name$ending"; done
done
ls | grep -E 'cell[0-9]|\.png$')"
sha256sum -- *.svg *.pdf >"$T/first"
report "the same records give the same bytes" "$(table --paper; sha256sum --check --quiet "$T/first" 2>&1)"

report "pages are 170 and 85 mm wide, with type of 7 points" "$(python3 - *.pdf <<'PY' 2>&1
import re, sys, zlib
for path in sys.argv[1:]:
    data = open(path, "rb").read()
    wanted = 85 if path.endswith("-85mm.pdf") else 170
    width = float(re.search(rb"/MediaBox \[ 0 0 ([\d.]+)", data).group(1)) * 25.4 / 72
    if not wanted - 0.5 < width <= wanted: print(path, "is", width, "mm wide")
    sizes = []
    for stream in re.finditer(rb"stream\r?\n(.*?)endstream", data, re.S):
        try: text = zlib.decompressobj().decompress(stream.group(1))
        except zlib.error: continue
        sizes += [float(x) for x in re.findall(rb"BT\s+([\d.]+) 0 0 -[\d.]+ ", text)]
    if len(sizes) < 5: print(path, "shows", len(sizes), "pieces of text")
    elif min(sizes) < 6.99: print(path, "has type of", min(sizes), "points")
PY
)"
report "an SVG is well formed, has no black, no background, and type of 7 points" "$(python3 - *.svg <<'PY' 2>&1
import re, sys, xml.dom.minidom
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    root = xml.dom.minidom.parseString(text).documentElement
    if root.getAttribute("width") != "170.00mm": print(path, "width", root.getAttribute("width"))
    if re.search(r"rgb\( *0, *0, *0\)|[\"']black[\"']|color=\"white\"", text): print(path, "has black or white of its own")
    for rect in root.getElementsByTagName("rect"):
        if rect.getAttribute("fill") not in ("none", "", "currentColor"): print(path, "has a background")
    small = min(float(x) for x in re.findall(r'font-size="([\d.]+)"', text)) / 6 * 72 / 25.4
    if small < 6.98: print(path, "has type of", small, "points")
    if "<style>svg:root{" not in text or "prefers-color-scheme:dark" not in text: print(path, "has no scheme of its own")
PY
)"
report "arms have the same colours in every file, and nothing else has one" "$(python3 - *.svg <<'PY' 2>&1
import re, sys, xml.dom.minidom
wanted = {"rgb(  0, 114, 178)", "rgb(213,  94,   0)"} # of two arms; the baseline is the text's
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    own = set(re.findall(r"(?:stroke|color|fill) ?= ?['\"](rgb\([^)]*\))", text))
    if own != wanted: print(path, "has the colours", sorted(own))
    said = ["".join(n.data for n in t.childNodes) for t in xml.dom.minidom.parseString(text).getElementsByTagName("text")]
    for label in ("Post-LN <x> & co", "Peri-LN"):
        if not any(t.startswith(label) for t in said): print(path, "does not name", label)
PY
)"
if command -v pdflatex >/dev/null; then
  report "LaTeX takes the names, and a column holds the figure" "$(
    { printf '\\documentclass[twocolumn]{article}\n\\usepackage{graphicx}\n\\setlength{\\textwidth}{180mm}\\setlength{\\columnsep}{10mm}\n\\begin{document}\n'
      for f in *-85mm.pdf; do printf '\\noindent\\includegraphics{%s}\\par\n\\noindent\\includegraphics{%s}\\par\n' "$f" "${f%.pdf}"; done
      printf '\\end{document}\n'; } >"$T/x.tex"
    cp ./*-85mm.pdf "$T" && cd "$T" && pdflatex -interaction=nonstopmode -halt-on-error x.tex >tex.out 2>&1 || grep -A3 '^!' tex.out
    grep -E 'Overfull .hbox|Warning' x.log)"
fi
mkdir "$T/bin"
real=$(command -v gnuplot)
printf '#!/bin/sh\nsed -i s/pdfcairo/pdfnone/g figure.gp && exec %s "$@"\n' "$real" >"$T/bin/gnuplot" # a gnuplot without it
chmod +x "$T/bin/gnuplot"
report "without pdfcairo the SVGs are drawn and one line says so" "$(rm -f -- *.svg *.pdf; PATH=$T/bin:$PATH table --paper
  grep -c 'note: no PDF of figures: this gnuplot lacks the terminal pdfcairo' "$T/err" | grep -vx 1
  [ -s sweep-rates.svg ] || echo "no SVG"; ls | grep 'pdf$')"
printf '#!/bin/sh\nexit 1\n' >"$T/bin/gnuplot"
chmod +x "$T/bin/gnuplot"
report "a gnuplot that fails leaves the tables and one line" "$(PATH=$T/bin:$PATH table
  grep -c 'note: no figures: gnuplot failed' "$T/err" | grep -vx 1)"
echo "1..$number"
