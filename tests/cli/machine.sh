#!/usr/bin/env bash
# What ./check says is missing, and how it is installed, by the names of each system. TAP.  machine.sh ROOT
. "$(dirname "$0")/../lib.sh"
root=$(realpath "$1")

# A machine: FILE of os-release, what uname -s says, which probes are absent (a pattern), who is root (yes, no). What
# prepare_machine prints is in $T/said, what it ran as root in $T/ran.
machine() {
  : >"$T/ran"
  (
    export OS_RELEASE=$T/$1 WITH_TESTS=1 WITH_CI=1 WITH_TEX=1
    . "$root/bench/machine.sh"
    kernel_is=$2 absent=$3 root_here=$4
    uname() { echo "$kernel_is"; }
    command() { case "$*" in "-v apt-get") [ "$kernel_is" = Linux ] ;; *) builtin command "$@" ;; esac; }
    present() { ! printf '%s' "$1" | grep -qE "$absent" || grep -q install "$T/ran"; }
    as_root() { [ "$root_here" = yes ] || return 1; [ "$*" = true ] || echo "$*" >>"$T/ran"; }
    prepare_machine
  ) 2>"$T/said"
}
says() { grep -qxF -- "$1" "$T/said" || echo "'$1' is not said, but: $(cat "$T/said")"; }

release() { printf '%s\n' "${@:2}" >"$T/$1"; }
release debian 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"' 'ID=debian'
release ubuntu 'ID=ubuntu' 'ID_LIKE=debian'
release mint 'ID=linuxmint' 'ID_LIKE="ubuntu debian"'
release fedora 'ID=fedora'
release rocky 'ID="rocky"' 'ID_LIKE="rhel centos fedora"'
release arch 'ID=arch'
release manjaro 'ID=manjaro' "ID_LIKE='arch'"
release other 'ID=plan9'

few='gsl|criterion|chromium|siunitx'
for system in debian ubuntu mint fedora rocky arch manjaro other none mac; do
  kernel=Linux line='apt-get install libgsl-dev libcriterion-dev chromium texlive-science'
  case $system in
    ubuntu | mint) line='apt-get install libgsl-dev libcriterion-dev chromium-browser texlive-science' ;;
    fedora | rocky) line='dnf install gsl-devel criterion-devel chromium texlive-siunitx' ;;
    arch | manjaro) line='pacman -S --needed gsl criterion chromium texlive-mathscience' ;;
    mac) kernel=Darwin line='brew install gsl criterion texlive' ;;
  esac
  machine $system $kernel "$few" no
  report "$system: the line to run" "$([ $? = 3 ] || echo "needed packages are absent, yet it goes on"
    says "    $line"
    says "Without them nothing can be built.")"
done
machine other Linux "$few" no
report "an unknown system is told whose names these are" "$(says "These are Debian's names: nothing here says which system this is.")"
machine mac Darwin 'chromium|gnuplot' no
report "without optional packages it goes on" "$([ $? = 0 ] || echo "it ends"
  says '    brew install gnuplot'
  says "Going on without gnuplot (figures)."
  says "Going on without chromium (the report's screenshot).")"
machine debian Linux 'gsl|gnuplot|numpy' yes
report "Debian: root installs just what is missing" "$([ $? = 0 ] || cat "$T/said"
  diff "$T/ran" - <<'RAN'
apt-get -qq update
env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install libgsl-dev gnuplot-nox python3-numpy
RAN
)"
machine fedora Linux "$few" yes
report "elsewhere nothing is installed" "$(cat "$T/ran")"
machine debian Linux 'no such probe' no
report "a machine with everything is told nothing" "$([ $? = 0 ] && cat "$T/said")"

rows() { (export WITH_TESTS=1 WITH_CI=1 WITH_TEX=1 WITH_SLOW=1 && . "$root/bench/machine.sh" && requirements) | sed 's/ *| */|/g'; }
report "every row has a name for each system, and Debian a package" "$(rows | awk -F'|' '
  NF != 6 || $2 == "-" || $6 !~ /^(needed|optional: .+)$/ {print} {for (i = 1; i <= NF; i++) if ($i == "") print}')"
if command -v apt-cache >/dev/null && apt-cache pkgnames 2>/dev/null | sort >"$T/known" && grep -qx gnuplot-nox "$T/known"; then
  report "Debian has these packages" "$(rows | cut -d'|' -f2 | tr ' ' '\n' | grep -v ':arm64$' | grep -vxFf "$T/known")"
fi
echo "1..$number"
