# Sourced by ./check and ./reproduce: makes this machine able to build normbench, and builds it.
# Installs only what is missing, from Debian; without root it prints the line to run and goes on without optional parts.

say() { printf '%s\n' "$*" >&2; }

# probe | Debian packages | needed or optional (what goes without it)
requirements() {
  cat <<'LIST'
cc --version            | build-essential                                  | needed
pkg-config --version    | pkg-config                                       | needed
git --version           | git                                              | optional: the commit in records
meson --version         | meson                                            | needed
ninja --version         | ninja-build                                      | needed
pkg-config gsl          | libgsl-dev                                       | needed
pkg-config yaml-0.1     | libyaml-dev                                      | needed
pkg-config jansson      | libjansson-dev                                   | needed
pkg-config libcrypto    | libssl-dev                                       | needed
pkg-config libcurl      | libcurl4-openssl-dev ca-certificates             | optional: downloads
pkg-config sentencepiece | libsentencepiece-dev                            | optional: the tokenizer bpe
gnuplot --version       | gnuplot-nox                                      | optional: figures
LIST
  [ "${WITH_TESTS:-}" ] && cat <<'LIST'
pkg-config criterion    | libcriterion-dev                                 | needed
clang --version         | clang                                            | needed
chromium --version      | chromium                                         | optional: the report's screenshot
LIST
  [ "${WITH_ARM64:-}" ] && cat <<'LIST'
qemu-aarch64 --version            | qemu-user             | needed
aarch64-linux-gnu-gcc --version   | gcc-aarch64-linux-gnu | needed
library arm64 libcrypto.a         | libssl-dev:arm64      | needed
LIST
  [ "${WITH_TEX:-}" ] && cat <<'LIST'
kpsewhich booktabs.sty  | texlive-latex-base texlive-latex-recommended     | optional: typeset tables
kpsewhich siunitx.sty   | texlive-science                                  | optional: siunitx tables
LIST
  true
}

present() {
  case $1 in
    "pkg-config --"*) command -v pkg-config >/dev/null ;;
    pkg-config*) command -v pkg-config >/dev/null && pkg-config --exists "${1#pkg-config }" ;;
    "library arm64"*) [ -e "/usr/lib/aarch64-linux-gnu/${1##* }" ] ;;
    kpsewhich*) command -v pdflatex >/dev/null && kpsewhich "${1#kpsewhich }" >/dev/null ;;
    *) command -v "${1%% *}" >/dev/null ;;
  esac
}

# Every row of the list that is absent, as "probe|packages|need".
absent_rows() {
  requirements | sed 's/ *| */|/g' | while IFS='|' read -r probe packages need; do
    present "$probe" || printf '%s|%s|%s\n' "$probe" "$packages" "$need"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo "$@"
  else return 1; fi
}

prepare_machine() {
  local rows packages
  rows=$(absent_rows)
  [ -n "$rows" ] || return 0
  packages=$(printf '%s\n' "$rows" | cut -d'|' -f2 | tr '\n' ' ')
  if command -v apt-get >/dev/null && as_root true; then
    say "Installing from Debian: $packages"
    case $packages in *:arm64*) as_root dpkg --add-architecture arm64 ;; esac
    as_root apt-get -qq update >&2 || true
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $packages >/dev/null || true
  fi
  rows=$(absent_rows)
  [ -n "$rows" ] || return 0
  packages=$(printf '%s\n' "$rows" | cut -d'|' -f2 | tr '\n' ' ')
  say "Not on this machine, and not installed from here. As root:"
  say "    apt-get install ${packages% }"
  if printf '%s\n' "$rows" | grep -q '|needed$'; then
    say "Without them nothing can be built."
    return 3
  fi
  printf '%s\n' "$rows" | while IFS='|' read -r _ packages need; do say "Going on without ${packages}(${need#optional: })."; done
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
