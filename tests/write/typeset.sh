#!/usr/bin/env bash
# Typesets every table without a single warning of LaTeX, an overfull box being one. TAP.  typeset.sh PROGRAM ROOT
# First the goldens of tests/golden/, plain and with siunitx, inside a bare article; then what the program itself makes of a
# few quick runs: all its tables, figures and --pdf, twice with the same bytes, and without the programs it can do without.
. "$(dirname "$0")/../lib.sh"
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: typeset.sh PROGRAM ROOT" >&2; exit 2; }
program=$(realpath "$1") root=$(realpath "$2")
export NORMBENCH_ROOT=$root
export TMPDIR=$T
if ! command -v pdflatex >/dev/null; then
  echo "1..0 # SKIP no pdflatex"
  exit 0
fi

twice() { # folder of x.tex: prints why pdflatex fails
  for pass in 1 2; do
    (cd "$1" && pdflatex -interaction=nonstopmode -halt-on-error x.tex) >"$1/out" 2>&1 && continue
    echo "pdflatex fails in pass $pass"
    grep -m 3 '^!' "$1/out"
    return 1
  done
}

# The text block is 5.5 inches wide, as in the styles of the large venues; nothing else is changed.
typeset() { # name, packages, files...: prints complaints
  local name=$1 packages=$2 folder=$T/$1
  shift 2
  mkdir -p "$folder"
  {
    printf '\\documentclass{article}\n\\setlength{\\textwidth}{5.5in}\n\\setlength{\\textheight}{9in}\n'
    printf '\\setlength{\\topmargin}{-0.5in}\n\\usepackage{booktabs}\\usepackage{graphicx}\n%s\n' "$packages"
    printf '\\renewcommand{\\floatpagefraction}{0.01}\n\\begin{document}\n'
    for file in "$@"; do printf '\\input{%s}\n\\clearpage\n' "$file"; done
    printf 'x\n\\end{document}\n'
  } >"$folder/x.tex"
  twice "$folder" && grep -E '^(Over|Under)full|Warning|^Missing character' "$folder/x.log"
}

# Two columns as narrow as any venue's (219 points), and the files among running text, so that macros have a line to break.
columns() { # name, packages, text, files...: prints complaints
  local name=$1 packages=$2 words=$3 folder=$T/$1
  shift 3
  mkdir -p "$folder"
  {
    printf '\\documentclass[twocolumn]{article}\n\\setlength{\\textwidth}{456pt}\\setlength{\\columnsep}{18pt}\n'
    printf '\\setlength{\\oddsidemargin}{0pt}\\setlength{\\textheight}{9in}\\setlength{\\topmargin}{-0.5in}\n'
    printf '\\usepackage{booktabs}\\usepackage{graphicx}\n%s\n\\begin{document}\n' "$packages"
    for file in "$@"; do printf '\\input{%s}\n' "$file"; done
    printf '%s\n\\end{document}\n' "$words"
  } >"$folder/x.tex"
  twice "$folder" && grep -E '^Overfull|Warning|^Missing character' "$folder/x.log" | grep -v 'multiply.defined' # of two goldens of a name
}
siunitx='\usepackage{etoolbox}\usepackage{siunitx}\makeatletter\@ifpackagelater{siunitx}{2021/05/17}'
siunitx+='{\sisetup{text-series-to-math = true}}{\robustify\bfseries\sisetup{detect-weight = true}}\makeatother'

for golden in "$root"/tests/golden/*.tex; do
  name=$(basename "$golden" .tex)
  case $name in
    *siunitx*) report "golden $name typesets with siunitx" "$(typeset "$name" "$siunitx" "$golden")" ;;
    *) report "golden $name typesets" "$(typeset "$name" '' "$golden")" ;;
  esac
done

paper=("$root"/tests/golden/table-paper*.tex)
report "tables for a paper fit the columns" "$(columns paper "$siunitx" x "${paper[@]}")"
report "macros stand in a column's text" "$(columns macros '' \
  '\nbMadeUpFourMethods{} LayerNorm is \nbMadeUpFourLayernormAtOneFiveZeroVerdict.' "$root/tests/golden/table-macros.tex")"
report "the columns are narrow: a table of the usual width does not fit" \
  "$(columns usual '' x "$root/tests/golden/table.tex" | grep -q '^Overfull' || echo "it fits")"

results=$T/results
quick=(--set steps=4 --set evaluate_at=0,2,4 --set seeds=3 --results "$results" --arm '{base: pre}'
  --arm 'an_arm-with-a-name.longer_than_any_head: {base: peri}' --arm '{base: pre, attn.out: rms}')
if ! "$program" run smoke "${quick[@]}" >"$T/out" 2>"$T/err"; then
  report "the smoke experiment runs" "$(tail -5 "$T/err")"
fi
out=$(echo "$results"/out/smoke-*)

search=$PATH
table() { # code, arguments...: prints complaints; leaves $T/out and $T/err
  local code=$1 rc
  shift
  PATH=$search "$program" table smoke "${quick[@]}" "$@" >"$T/out" 2>"$T/err"
  rc=$?
  [ "$rc" = "$code" ] || { echo "exit $rc instead of $code"; tail -3 "$T/err"; }
  grep 'LaTeX' "$T/err"
}
report "--pdf typesets plain columns without a warning" "$(table 0 --pdf)"
(cd "$out" && sha256sum -- *) >"$T/first" 2>/dev/null
report "the PDF is one" "$([ "$(head -c 5 "$out/smoke.pdf" 2>&1)" = '%PDF-' ] || echo "it is not")"
report "the same runs give the same bytes" "$(table 0 --pdf; (cd "$out" && sha256sum -- *) | diff "$T/first" -)"
report "--pdf typesets siunitx columns without a warning" "$(table 0 --pdf --style siunitx)"
paper() { # arguments...: table --paper with them, typeset in columns
  table 0 --paper "$@"
  columns paper-own "$siunitx" x "$out/smoke-paper.tex"
}
report "--paper makes one table for a column" "$(paper
  grep -c 'begin{table}' "$out/smoke-paper.tex" | grep -vx 1)"
report "--paper takes metrics by name, also with siunitx" "$(paper --metric loss,accuracy,ppl,spikes --style siunitx
  grep -q 'accuracy' "$out/smoke-paper.tex" || echo "no accuracy")"
report "a caption says nothing of arms that are not there" \
  "$(grep -h '^.caption' "$out"/*.tex | grep -iE 'every (placement|arm|variant)|of the file'
  grep -q 'caption.*and Pre-LN + attn.out rmsnorm against Pre-LN (from smoke)' "$out/smoke-paper.tex" || echo "it does not name the arms")"
# What --paper writes, as it is pasted: paragraphs with \cite, the float, and BibTeX's list, in two columns.
pasted() { # NAME of the files: prints complaints
  local folder=$T/pasted name=$1
  command -v bibtex >/dev/null || { echo "no bibtex, which comes with pdflatex"; return; }
  mkdir -p "$folder"
  cp "$out/$name-paper.bib" "$folder/"
  {
    printf '\\documentclass[twocolumn]{article}\n\\setlength{\\textwidth}{456pt}\\setlength{\\columnsep}{18pt}\n'
    printf '\\setlength{\\oddsidemargin}{0pt}\\setlength{\\textheight}{9in}\\usepackage{booktabs}\\usepackage{graphicx}\n'
    printf '\\begin{document}\n\\sloppy\n\\input{%s}\n\\input{%s}\n' "$out/$name-paper-text.tex" "$out/$name-paper.tex"
    printf '\\bibliographystyle{plain}\\bibliography{%s}\n\\end{document}\n' "$name-paper"
  } >"$folder/x.tex"
  (cd "$folder" && pdflatex -interaction=nonstopmode -halt-on-error x.tex && bibtex x &&
    pdflatex -interaction=nonstopmode -halt-on-error x.tex && pdflatex -interaction=nonstopmode -halt-on-error x.tex) \
    >"$folder/out" 2>&1 || grep -m 3 -E '^!|error' "$folder/out"
  grep -E '^Overfull|Warning|^Missing character' "$folder/x.log"
  grep -E '^Warning--' "$folder/x.blg"
  [ "$(grep -c '^@' "$folder/$name-paper.bib")" = "$(grep -c '^.bibitem' "$folder/x.bbl")" ] || echo "not every entry is cited"
}
report "--paper's text, table and BibTeX typeset in two columns" "$(table 0 --paper
  pasted smoke
  grep -q 'cite{kim2025peri}' "$out/smoke-paper-text.tex" || echo "Peri-LN's paper is not cited"
  grep -q '^@inproceedings{xiong2020layer,' "$out/smoke-paper.bib" || echo "Pre-LN's paper is not in the BibTeX file"
  grep -c 'in an exploratory comparison' "$out/smoke-paper-text.tex" | grep -qx 0 || echo "a sentence begins in lower case")"
report "an unknown metric is named with the nearest" "$(
  "$program" table smoke "${quick[@]}" --paper --metric los >"$T/out" 2>"$T/err"
  [ $? = 2 ] || echo "exit is not 2"
  grep -q "metric: unknown metric 'los'" "$T/err" || cat "$T/err"
  "$program" table smoke "${quick[@]}" --metric loss >"$T/out" 2>"$T/err"
  [ $? = 2 ] || echo "--metric alone: exit is not 2")"
report "a character that LaTeX cannot set is named in one line" "$(
  "$program" table smoke "${quick[@]}" --pdf --arm 'a: {base: pre, label: a日}' >"$T/out" 2>"$T/err"
  [ $? = 3 ] || echo "exit is not 3"
  tail -1 "$T/err" | grep -qx 'normbench: pdflatex: LaTeX Error: Unicode character 日 (U+65E5) not set up for use with LaTeX.' ||
    tail -2 "$T/err")"
report "every figure is there in three formats" "$(for ending in .svg .pdf -85mm.pdf; do
  [ -s "$out/smoke-curves$ending" ] || { command -v gnuplot >/dev/null && echo "no $ending"; }
done)"
report "no table holds nan or inf" "$(grep -nwiE 'nan|inf' "$out"/*.tex "$out"/*.csv "$out"/*.txt | head -5)"
report "what was changed on the command line is marked exploratory" \
  "$(grep -q EXPLORATORY "$out/smoke.tex" || echo "the table is not"
  ls "$out" | grep -vE '^(smoke[-.]|plan.json$)')"

mkdir "$T/bare" # a path that holds neither gnuplot nor pdflatex
without() { search=$T/bare table "$@"; }
report "without gnuplot the tables are written and one line says so" "$(without 0
  grep -c 'note: no figures: gnuplot: not installed' "$T/err" | grep -vx 1)"
report "--pdf without pdflatex is one clear line" "$(without 3 --pdf
  grep -q 'pdflatex is not installed' "$T/err" || tail -2 "$T/err")"
report "runs that are missing are named with the command that makes them" "$(
  "$program" table smoke --results "$T/none" >"$T/out" 2>"$T/err"
  [ $? = 3 ] || echo "exit is not 3"
  grep -q 'runs are missing: normbench run smoke' "$T/err" || cat "$T/err")"

echo "1..$number"
