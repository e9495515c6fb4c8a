#!/usr/bin/env bash
# docs/table.png, which README shows, is the paper's table of embedding-norm-4 as the program writes and LaTeX typesets it.
# The numbers of the table stand in a text of the PNG; this test compares them with those of the program's TeX today. TAP.
#   picture.sh PROGRAM ROOT
# NORMBENCH_WRITE_GOLDEN=1 makes the picture anew; that needs pdflatex, and pdftoppm of poppler-utils.
. "$(dirname "$0")/../lib.sh"
program=$(realpath "$1") root=$(realpath "$2")
export NORMBENCH_ROOT=$root
unset NORMBENCH_DATA
picture=$root/docs/table.png

mkdir "$T/records" && tar -xf "$root/results/reference/records/quick/embedding-norm-4.tar.gz" -C "$T/records" --strip-components 1
"$program" table embedding-norm-4 --profile quick --paper --results "$T/records" >"$T/said" 2>&1 || { cat "$T/said"; exit 1; }
tex=$(echo "$T"/records/out/*/embedding-norm-4-paper.tex)
# The rows of the tabular, without the commands of LaTeX: names and numbers.
numbers() {
  sed -n '/^.midrule$/,/bottomrule/p' "$tex" | sed -E 's/\[[0-9.]*pt\]//; s/\\scriptsize|\\ddagger|\\dagger|\\textbf|\\[a-z]+//g; s/[{}$^&\\]/ /g' |
    tr -s ' \n' ' ' | sed 's/^ //; s/ $//'
}

# The text in a PNG; or makes one with a text of 16 grays from a PGM, without the white around.
png_text() { # FILE.png [TEXT FILE.pgm]
  python3 - "$@" <<'PY'
import re, struct, sys, zlib
if len(sys.argv) == 2:
    found = re.search(rb"tEXtDescription\0(.*?)....IDAT", open(sys.argv[1], "rb").read(), re.S)
    print(found[1][:-4].decode() if found else "nothing")
    sys.exit()
data = open(sys.argv[3], "rb").read()
width, height = map(int, re.match(rb"P5\s(\d+)\s(\d+)\s255\s", data).groups())
pixels = data[-width * height:]
rows = [pixels[i * width:(i + 1) * width] for i in range(height)]
inked = [i for i, row in enumerate(rows) if min(row) < 255]
rows = rows[max(0, inked[0] - 12):inked[-1] + 13]
left = min(min(i for i, x in enumerate(r) if x < 255) for r in rows if min(r) < 255)
right = max(max(i for i, x in enumerate(r) if x < 255) for r in rows if min(r) < 255)
left, right = max(0, left - 12), min(width, right + 13)
right -= (right - left) % 2
packed = b"".join(b"\0" + bytes((r[i] >> 4) << 4 | r[i + 1] >> 4 for i in range(left, right, 2)) for r in rows)
chunks = [(b"IHDR", struct.pack(">IIBBBBB", right - left, len(rows), 4, 0, 0, 0, 0)),
          (b"tEXt", b"Description\0" + sys.argv[2].encode()), (b"IDAT", zlib.compress(packed, 9)), (b"IEND", b"")]
with open(sys.argv[1], "wb") as out:
    out.write(b"\x89PNG\r\n\x1a\n")
    for kind, body in chunks:
        out.write(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)))
PY
}

if [ "${NORMBENCH_WRITE_GOLDEN:-}" ]; then
  {
    printf '\\documentclass{article}\n\\usepackage[paperwidth=92mm,paperheight=84mm,margin=3mm]{geometry}\n'
    printf '\\usepackage{booktabs}\n\\pagestyle{empty}\\parindent0pt\\usepackage[font=footnotesize]{caption}\n\\begin{document}\n\\input{%s}\n\\end{document}\n' "$tex"
  } >"$T/x.tex"
  (cd "$T" && pdflatex -interaction=nonstopmode -halt-on-error x.tex >x.out && pdftoppm -gray -r 190 -singlefile x.pdf x) ||
    { tail -n 20 "$T/x.out"; exit 1; }
  png_text "$picture" "$(numbers)" "$T/x.pgm"
fi

report "the picture of a table in README has the numbers of the table" "$(
  shown=$(png_text "$picture")
  [ "$shown" = "$(numbers)" ] || printf 'shown: %s\ntoday: %s\nNORMBENCH_WRITE_GOLDEN=1 makes the picture anew\n' "$shown" "$(numbers)")"
report "the picture is small" "$([ "$(wc -c <"$picture")" -le 61440 ] || wc -c "$picture")"
echo "1..$number"
