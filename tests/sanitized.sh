#!/bin/sh
# Builds TARGET with the address and undefined-behaviour sanitizers in FOLDER, which is made once and shared by all tests that
# need such a build. -O0: to compile costs more than to run.  sanitized.sh ROOT FOLDER TARGET
set -e
root=$(realpath "$1") folder=$2
[ -e "$folder/build.ninja" ] ||
  meson setup "$folder" "$root" -Db_sanitize=address,undefined -Doptimization=0 -Dtests=enabled -Dcuda=disabled
ninja -C "$folder" "$3"
