# Part of tests/cli/e2e.sh: weights and checkpoints in several files with an index.

# A checkpoint whose every tensor stands in a file of its own, and the power cut at each call that writes it.
check_a_split_checkpoint_survives_every_power_cut() {
  local at n=0
  ends 0 "${one[@]}" --set steps=2 --results "$W/reference"
  [ -n "$(disk)" ] || fail "cannot build the failing disk"
  for ((at = 30; at < 900; at += 41)); do
    rm -rf "$W/r"
    with=(env LD_PRELOAD="$T/disk.so" FAULT=cut FAULT_AT="$at")
    nb "${one[@]}" --set steps=2 --checkpoint-every 0 --file-size 0.02 --results "$W/r"
    with=()
    [ "$rc" = 137 ] || break
    an_hour_later "$W/r"
    ls "$W"/r/runs/.partial/*.safetensors.index.json >/dev/null 2>&1 && n=$((n + 1))
    nb "${one[@]}" --set steps=2 --file-size 0.02 --results "$W/r"
    [ "$rc" = 0 ] || fail "after call $at: exit $rc"
    ! grep -q 'starts over' "$W/err" || fail "after call $at a damaged checkpoint was left"
    same "$W/r" "$W/reference"
  done
  [ "$n" -ge 2 ] || fail "$n times there was an index"
}

# WHAT PATTERN: a checkpoint in shards, damaged so, is named and not used.
split_refused() {
  nb "${one[@]}" --set steps=6 --results "$W/r"
  [ "$rc" = 0 ] || fail "$1: exit $rc"
  says "checkpoint not used, this run starts over: .*$2" || fail "$1"
  same "$W/r" "$W/reference"
}

check_damaged_split_checkpoints_are_refused() {
  local shard
  ends 0 "${one[@]}" --set steps=6 --results "$W/reference"
  with=(env LD_PRELOAD="$(disk)" FAULT=cut FAULT_AT=150)
  nb "${one[@]}" --set steps=6 --checkpoint-every 0 --file-size 0.02 --results "$W/start"
  with=()
  an_hour_later "$W/start"
  [ -n "$(ls "$W"/start/runs/.partial/*.index.json)" ] || fail "no index"
  again() { rm -rf "$W/r" && cp -a "$W/start" "$W/r" && shard=$(grep -oE '[0-9a-f]{64}-[0-9a-f]{12}-00002-of-[0-9]*.safetensors' "$W"/r/runs/.partial/*.index.json | head -n 1) && shard=$W/r/runs/.partial/$shard; }
  again && rm "$shard" && split_refused "a missing shard" "shard '.*' is missing"
  again && truncate -s -8 "$shard" && split_refused "a short shard" "do not have the hash|inside the file"
  again && sed -i 's/"step": "[0-9]*"/"step": "5"/' "$W"/r/runs/.partial/*.index.json && split_refused "another step" "header does not have the hash"
}

check_an_export_in_shards_comes_back() {
  local id i
  ends 0 "${one[@]}" --results "$W/r"
  id=$(ls "$W/r/runs")
  ends 0 export "$id" -o "$W/whole.safetensors" --results "$W/r"
  ends 0 export "$id" -o "$W/w.safetensors" --file-size 0.01 --results "$W/r"
  i=$W/w.safetensors.index.json
  [ ! -e "$W/w.safetensors" ] && [ "$(ls "$W"/w-*-of-*.safetensors | wc -l)" -gt 2 ] || fail "no shards"
  python3 - "$W" <<'PY' || fail "the shards are not the whole"
import json, struct, sys, os
def read(path):
    with open(path, "rb") as f:
        n = struct.unpack("<Q", f.read(8))[0]
        header, data = json.loads(f.read(n)), f.read()
    header.pop("__metadata__")
    return {k: (v["dtype"], v["shape"], data[slice(*v["data_offsets"])]) for k, v in header.items()}
folder = sys.argv[1]
index = json.load(open(folder + "/w.safetensors.index.json"))
whole, parts = read(folder + "/whole.safetensors"), {}
for name in set(index["weight_map"].values()):
    shard = read(os.path.join(folder, name))
    assert all(index["weight_map"][k] == name for k in shard)
    assert len(shard) == 1 or sum(len(v[2]) for v in shard.values()) <= 10000
    parts.update(shard)
assert parts == whole and index["metadata"]["total_size"] == sum(len(v[2]) for v in whole.values())
PY
  for path in "$W/w.safetensors" "$i"; do
    ends 0 import "$path" --results "$W/r"
    prints 'record: equal bit for bit'
  done
  bad() { # SED PATTERN: the index edited so is refused
    cp "$i" "$W/bad.safetensors.index.json" && sed -i -E "$1" "$W/bad.safetensors.index.json"
    cmp -s "$i" "$W/bad.safetensors.index.json" && fail "the edit changes nothing: $1"
    ends 5 import "$W/bad.safetensors.index.json" --results "$W/r"
    says "$2"
    [ "$(grep -c '' "$W/err")" = 1 ] || fail "more than one line: $1"
  }
  bad 's/"total_size": /&1/' "total_size is not"
  bad 's/("wte.weight": ").*"/\1absent.safetensors"/' "shard 'absent.safetensors' is missing"
  bad 's/("wte.weight": ").*"/\1..\/whole.safetensors"/' "is not the name of a file in its folder"
  bad 's/("wte.weight": ").*"/\1whole.safetensors"/' "tensor '.*' is in 'whole.safetensors', and weight_map says"
  bad 's/("wte.weight"): ".*"/\1: 3/' "'wte.weight' names no file"
  bad 's/(00001-of-.*": ")[0-9a-f]{4}/\10000/' "has another hash than the index says"
  bad 's/weight_map/weightmap/' "it has no weight_map"
  rm "$W"/w-*-00002-of-*
  ends 5 import "$i" --results "$W/r"
  says "shard 'w-.*' is missing"
  refused "file-size: 'big' is not a number of megabytes" export "$id" -o "$W/x" --file-size big
  ends 0 export "$id" -o "$W/w.safetensors" --results "$W/r"
  [ -z "$(ls "$W"/w-* "$i" 2>/dev/null)" ] && cmp "$W/w.safetensors" "$W/whole.safetensors" || fail "old shards are left"
}
