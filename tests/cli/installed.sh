#!/usr/bin/env bash
# What `meson install` installs works outside of the checkout: the program finds its experiments and claims, writes results
# into the working folder, and leaves what is installed as it is; the man page and the completions name every command and
# every option. TAP.  installed.sh BUILD ROOT
. "$(dirname "$0")/../lib.sh"
unset NORMBENCH_ROOT NORMBENCH_DATA XDG_CACHE_HOME
build=$(realpath "$1") root=$(realpath "$2")
if ! meson install -C "$build" --no-rebuild --destdir "$T/root" >"$T/log" 2>&1; then
  echo "not ok 1 - meson install"
  tail -n 5 "$T/log" | sed 's/^/# /'
  echo "1..1"
  exit 1
fi
program=$(find "$T/root" -path '*/bin/normbench') prefix=${program%/bin/normbench}
mkdir -p "$T/home" "$T/work" && cd "$T/work" || exit 3
export HOME=$T/home
there() { (cd "$T/root" && find . -type f -exec sha256sum {} + | sort -k 2); }
there >"$T/before"

report "experiments, claims and stored verdicts are found" "$(
  "$program" list >out 2>&1 || cat out
  for name in embedding-norm-4 peri-lr; do grep -q "^  $name " out || echo "list has no $name"; done
  "$program" claims 002 >out 2>&1 || cat out
  tr -s ' \n' ' ' <out | grep -q 'Stored numbers stand for runs that you lack' || echo "claims shows no stored verdicts"; rm out)"
report "a run, its table and the next line stay in the working folder" "$(
  "$program" new mine.yaml >said 2>&1 && "$program" run mine.yaml --seeds 2 --threads 1 >said 2>&1 || cat said
  next=$(sed -n 's/^Next: //p' said)
  case $next in *--results*) echo "the next line names a folder: $next" ;; esac
  eval "$next" >said 2>&1 || cat said
  [ -f results/out/*/mine.tex ] || ls -R results)"
report "a stored snapshot is compared" "$("$program" verify smoke --threads 1 >said 2>&1 || cat said)"
report "a corpus that cannot be had would lie in the user's cache" "$(
  "$program" run smoke-shakespeare --offline --dry-run >said 2>&1 && echo "it was found"
  grep -q "tried cache $T/home/.cache/normbench/tinyshakespeare" said || cat said)"
report "what is installed is as it was" "$(there | diff "$T/before" - | head -n 5)"

# CONTRIBUTING's lines from the installed tree on; the build's prefix stands in the place of /usr.
packaged() {
  command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || return 0
  mkdir "$T/deb" && cp -r "$T/root" "$T/deb/normbench" && cd "$T/deb" || return
  sed -n '/^mkdir -p normbench\/DEBIAN/,/^dpkg-deb/p' "$root/CONTRIBUTING.md" |
    sed "s|normbench/usr/bin/|normbench${prefix#"$T/root"}/bin/|" >lines
  [ "$(wc -l <lines)" -gt 3 ] || { echo "CONTRIBUTING shows no package"; return; }
  sh -e lines >said 2>&1 || { cat said; return; }
  dpkg-deb -f normbench_*.deb Depends | grep libgsl | grep libjansson | grep -q libyaml || dpkg-deb -f normbench_*.deb
  dpkg-deb -x normbench_*.deb unpacked && cd "$T/work" || return
  packed=$T/deb/unpacked${program#"$T/root"}
  "$packed" list >said 2>&1 && grep -q '^  peri-lr ' said || cat said
  "$packed" run smoke --set steps=2 --seeds 2 --threads 1 --results "$T/deb/results" >said 2>&1 || cat said
}
report "a Debian package is made as CONTRIBUTING says, and works unpacked" "$(packaged)"

options() { "$program" $1 --help all | sed -nE 's/^  --([a-z-]+) .*/\1/p'; } # of a command's words
"$program" --help | sed -nE 's/^normbench (([a-z]+ )?[a-z]+)( ([^a-z].*)?)?$/\1/p' >"$T/commands"
man=$prefix/share/man/man1/normbench.1
report "the man page has every command and option" "$(
  [ "$(wc -l <"$T/commands")" -gt 20 ] || cat "$T/commands"
  while read -r command; do
    grep -q "^\.SS \"$command" "$man" || echo "$command"
    for option in $(options "$command"); do grep -qF "\\fB\\-\\-${option//-/\\-}\\fR" "$man" || echo "$command --$option"; done
  done <"$T/commands")"
if command -v groff >/dev/null; then
  report "groff sets it without a warning" "$(groff -k -man -Tutf8 -ww -z "$man" 2>&1)"
else
  report "groff sets it without a warning # SKIP no groff" ""
fi
bash_completion=$prefix/share/bash-completion/completions/normbench
completed() { # words of a line, the last of them unfinished
  PATH=${program%/*}:$PATH bash -c 'source "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _normbench; printf "%s\n" "${COMPREPLY[@]}"' \
    bash "$bash_completion" "$@" 2>&1
}
report "bash completes commands, options, values and names" "$(
  [ "$(completed normbench tab)" = table ] || completed normbench tab
  while read -r command; do
    options "$command" | sed 's/^/--/' | sort >wanted
    completed normbench $command -- | grep -v -e --help | sort | diff wanted - || echo "of $command"
    case $command in *' '*) [ "$(completed normbench $command)" = "${command#* }" ] || completed normbench $command ;; esac
  done <"$T/commands"
  [ "$(completed normbench run peri-em)" = peri-embed ] || completed normbench run peri-em
  [ "$(completed normbench explain deepn)" = deepnorm ] || completed normbench explain deepn
  completed normbench compare x --better h | grep -qx higher || completed normbench compare x --better h
  completed normbench run x --profile q | grep -qx quick || completed normbench run x --profile q)"
for shell in zsh fish; do
  file=$(find "$prefix/share/$shell" -type f)
  if command -v $shell >/dev/null; then report "$shell reads its completions" "$($shell -n "$file" 2>&1)"; else
    report "$shell reads its completions # SKIP no $shell" ""; fi
  report "$shell's name every command and option" "$(while read -r command; do
    grep -q "${command#* }" "$file" || echo "$command"
    for option in $(options "$command"); do grep -qE -e "--$option\[|-l $option( |$)" "$file" || echo "$command --$option"; done
  done <"$T/commands")"
done
report "another kind of manual is refused" "$("$program" --manual html >said 2>&1; [ $? = 2 ] || echo "exit code"; grep -q "not man, bash, zsh or fish" said || cat said)"
echo "1..$number"
