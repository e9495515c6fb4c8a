# Sourced by ./check and ./reproduce: makes this machine able to build normbench, and builds it.
# Installs only what is missing, on Debian and Ubuntu as root; elsewhere it prints the line to run and goes on without
# optional parts. Tried: Debian 12. The other names are those under which Ubuntu, Fedora, Arch and Homebrew list these
# packages; nothing was installed by them.

say() { printf '%s\n' "$*" >&2; }

# probe | Debian, Ubuntu | Fedora | Arch | Homebrew | needed or optional (what goes without it). "-": no package of its own
requirements() {
  cat <<'LIST'
cc --version            | build-essential | gcc gcc-c++ | base-devel | - | needed
pkg-config --version    | pkg-config | pkgconf-pkg-config | pkgconf | pkgconf | needed
git --version           | git | git | git | git | optional: the commit in records
meson --version         | meson | meson | meson | meson | needed
ninja --version         | ninja-build | ninja-build | ninja | ninja | needed
pkg-config gsl          | libgsl-dev | gsl-devel | gsl | gsl | needed
pkg-config yaml-0.1     | libyaml-dev | libyaml-devel | libyaml | libyaml | needed
pkg-config jansson      | libjansson-dev | jansson-devel | jansson | jansson | needed
pkg-config libcrypto    | libssl-dev | openssl-devel | openssl | openssl@3 | needed
pkg-config libcurl      | libcurl4-openssl-dev ca-certificates | libcurl-devel ca-certificates | curl ca-certificates | curl | optional: downloads
pkg-config libprotobuf-c | libprotobuf-c-dev protobuf-c-compiler | protobuf-c-devel protobuf-c-compiler | protobuf-c | protobuf-c | optional: event files
pkg-config zlib         | zlib1g-dev | zlib-devel | zlib | zlib | optional: logs packed by gzip
pkg-config sentencepiece | libsentencepiece-dev | sentencepiece-devel | sentencepiece | sentencepiece | optional: the tokenizer bpe
gnuplot --version       | gnuplot-nox | gnuplot | gnuplot | gnuplot | optional: figures
LIST
  [ "${WITH_TESTS:-}" ] && cat <<'LIST'
pkg-config criterion    | libcriterion-dev | criterion-devel | criterion | criterion | needed
LIST
  [ "${WITH_CI:-}" ] && cat <<'LIST'
clang --version         | clang | clang | clang | llvm | needed
mpicc --version         | libopenmpi-dev openmpi-bin | openmpi-devel | openmpi | open-mpi | needed
python numpy            | python3-numpy | python3-numpy | python-numpy | numpy | needed
chromium --version      | chromium | chromium | chromium | - | optional: the report's screenshot
pdftotext -v            | poppler-utils | poppler-utils | poppler | poppler | optional: reading the report's PDF
zsh --version           | zsh | zsh | zsh | zsh | optional: reading its completions
fish --version          | fish | fish | fish | fish | optional: reading its completions
groff --version         | groff-base | groff-base | groff | groff | optional: setting the manual page
slurmctld -V            | slurm-wlm | slurm-slurmctld slurm-slurmd slurm | slurm-llnl | - | optional: tests of Slurm
munged --version        | munge | munge | munge | - | optional: tests of Slurm
LIST
  [ "${WITH_SLOW:-}" ] && cat <<'LIST'
qemu-aarch64 --version  | qemu-user | qemu-user | qemu-user | - | needed
aarch64-linux-gnu-gcc --version | gcc-aarch64-linux-gnu | gcc-aarch64-linux-gnu | aarch64-linux-gnu-gcc | - | needed
library arm64 libcrypto.a | libssl-dev:arm64 | - | - | - | needed
LIST
  [ "${WITH_TEX:-}" ] && cat <<'LIST'
kpsewhich booktabs.sty  | texlive-latex-base texlive-latex-recommended | texlive-collection-latexrecommended | texlive-latexrecommended | texlive | optional: typeset tables
kpsewhich siunitx.sty   | texlive-science | texlive-siunitx | texlive-mathscience | texlive | optional: siunitx tables
LIST
  true
}

# Whose names hold on this machine: debian, ubuntu, fedora, arch or homebrew; empty when nothing says so. OS_RELEASE: where
# the system says what it is.
distribution() {
  local word
  [ "$(uname -s)" != Darwin ] || { echo homebrew; return; }
  for word in $(sed -n 's/^ID=//p; s/^ID_LIKE=//p' "${OS_RELEASE:-/etc/os-release}" 2>/dev/null | tr -d "\"'"); do
    case $word in
      debian | ubuntu | fedora | arch) echo "$word"; return ;;
      rhel | centos) echo fedora; return ;;
      archlinux) echo arch; return ;;
    esac
  done
}

# What installs packages there.
installer() {
  case $1 in
    fedora) echo "dnf install" ;;
    arch) echo "pacman -S --needed" ;;
    homebrew) echo "brew install" ;;
    *) echo "apt-get install" ;;
  esac
}

present() {
  case $1 in
    "pkg-config --"*) command -v pkg-config >/dev/null ;;
    pkg-config*) command -v pkg-config >/dev/null && pkg-config --exists "${1#pkg-config }" ;;
    "python numpy") python3 -c 'import numpy' 2>/dev/null || /usr/bin/python3 -c 'import numpy' 2>/dev/null ;;
    "library arm64"*) [ -e "/usr/lib/aarch64-linux-gnu/${1##* }" ] ;;
    kpsewhich*) command -v pdflatex >/dev/null && kpsewhich "${1#kpsewhich }" >/dev/null ;;
    *) (PATH=$PATH:/usr/sbin && command -v "${1%% *}" >/dev/null) ;; # where Debian puts daemons
  esac
}

# Every row of the list that is absent, as "probe|packages|need", the packages as $1 calls them.
absent_rows() {
  local column=2
  case $1 in fedora) column=3 ;; arch) column=4 ;; homebrew) column=5 ;; esac
  requirements | sed 's/ *| */|/g' | cut -d'|' -f1,$column,6 | while IFS='|' read -r probe packages need; do
    [ "$1" != ubuntu ] || [ "$packages" != chromium ] || packages=chromium-browser
    present "$probe" || printf '%s|%s|%s\n' "$probe" "$packages" "$need"
  done
}

# The packages of such rows, each once.
packages_of() {
  printf '%s\n' "$1" | cut -d'|' -f2 | tr ' ' '\n' | awk '$1 != "-" && $1 != "" && !seen[$1]++ {printf "%s%s", n++ ? " " : "", $1}'
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo "$@"
  else return 1; fi
}

prepare_machine() {
  local rows packages system
  system=$(distribution)
  rows=$(absent_rows "$system")
  [ -n "$rows" ] || return 0
  packages=$(packages_of "$rows")
  case $system in
    debian | ubuntu | '')
      if command -v apt-get >/dev/null && as_root true; then
        say "Installing from ${system:-Debian}: $packages"
        case $packages in *:arm64*) as_root dpkg --add-architecture arm64 ;; esac
        as_root apt-get -qq update >&2 || true
        # shellcheck disable=SC2086
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $packages >/dev/null || true
      fi ;;
  esac
  rows=$(absent_rows "$system")
  [ -n "$rows" ] || return 0
  packages=$(packages_of "$rows")
  say "Not on this machine, and not installed from here. $([ "$system" = homebrew ] && echo "Run:" || echo "As root:")"
  say "    $(installer "$system") $packages"
  [ "$system" ] || say "These are Debian's names: nothing here says which system this is."
  if printf '%s\n' "$rows" | grep -q '|needed$'; then
    printf '%s\n' "$rows" | sed -n 's/^\([^|]*\)|-|needed$/No package there has it: \1/p' >&2
    say "Without them nothing can be built."
    return 3
  fi
  printf '%s\n' "$rows" | while IFS='|' read -r probe packages need; do
    [ "$packages" != - ] || packages=${probe%% *}
    say "Going on without $packages (${need#optional: })."
  done
}

# build_in FOLDER [meson options]: configure once, compile always.
build_in() {
  local folder=$1
  shift
  if [ ! -f "$folder/build.ninja" ]; then
    meson setup "$folder" "$@" >"$folder.log" 2>&1 || { cat "$folder.log" >&2; return 3; }
    rm -f "$folder.log"
  fi
  meson compile -C "$folder" >"$folder/compile.log" 2>&1 || { tail -n 40 "$folder/compile.log" >&2; return 3; }
}

# leave_program FOLDER: ./normbench is the program that was built there, so that README's commands find it.
leave_program() {
  if [ -e normbench ] && [ ! -L normbench ]; then
    say "normbench: a file of this name is in the way; the program is $1/bench/normbench"
  else
    ln -sfn "$1/bench/normbench" normbench
  fi
}

# Says what ./reproduce does with this machine's GPU; sets gpu (its name; empty: none) and cuda (yes: it can be built for).
find_gpu() {
  gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1)
  cuda=
  [ "$gpu" ] || return 0
  if command -v nvcc >/dev/null || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]; then
    cuda=yes
    say "GPU: $gpu. CUDA is built and trains on it, with the CPU's bits."
  else
    say "GPU: $gpu, but no nvcc: with the CUDA Toolkit (12 or later) it would train profile full. Going on with the CPU."
  fi
}
