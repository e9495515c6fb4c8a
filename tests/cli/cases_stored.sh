# Kinds of cases.sh: stored runs that were changed, their names and addresses, and what is written of them.

kind_records_that_were_changed() {
  local record
  plan '' && sed -i 's/^evaluate_at: .*/evaluate_at: "0,3"/' "$W/p.yaml" && runs 0 run p.yaml --results r
  record=$(ls "$W"/r/runs/*/record.json | head -n 1)
  sed -i 's/"valid_loss": [0-9]/"valid_loss": 9/' "$record"
  runs 0 runs p.yaml --results r --format csv && has err 'do not have the hash that record.json names' && lacks out ',9.'
  [ "$(wc -l <"$W/out")" = 4 ] || failed 'not the three other runs'
}
