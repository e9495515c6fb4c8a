# shellcheck shell=bash disable=SC2034
# Kinds of wrong statistic: a test that rounding, a stalled run or its own draws mislead.

kind_a_stalled_run_is_no_spread() {
  printf 'seed,base,arm\n1,2.91,2.9\n2,2.98,3.0\n3,3.17,4.56\n4,3.1,3.05\n5,2.84,2.82\n6,3.01,4.39\n7,2.9,2.95\n8,3.06,3.01\n' >"$W/a.csv"
  runs 4 compare a.csv
  lacks out 'The spread over seeds differs'
  runs 4 compare a.csv --format json
  has out '"p_swap": 0.390625'
  has out '"p_one_seed_left_out": 0.78125'
}

kind_rounding_is_no_spread() {
  printf 'seed,base,arm\n1,1.11,1.12\n2,2.21,2.22\n3,3.31,3.32\n4,4.41,4.42\n5,1.51,1.52\n6,2.61,2.62\n7,3.71,3.72\n8,4.81,4.84\n9,4.84,4.83\n' >"$W/a.csv"
  tries=$((tries + 1))
  (cd "$W" && "$program" compare a.csv --format json >out 2>err)
  has out '"p_swap": 1.0'
}

kind_a_score_at_tau_is_at_tau() {
  printf 'seed,corpus,base,x\n1,c1,3,2.9\n2,c1,3,2.9\n3,c1,3,3.1\n1,c2,1,0.9\n2,c2,1,0.9\n3,c2,1,1.1\n' >"$W/a.csv"
  runs 4 compare a.csv
  has out '0.67'
  lacks out '0.33   0.67'
}

kind_limits_of_one_alone() {
  printf 'seed,arm,value\n1,a,3\n2,a,3.25\n3,a,3.5\n4,a,4\n5,b,5\n6,b,5.5\n7,b,6\n8,b,8\n9,c,3\n10,c,3.5\n11,c,3.25\n12,c,3.75\n' >"$W/a.csv"
  runs 4 compare a.csv --unpaired --format json
  has out '"alone_lo": 1.0'
}

kind_a_run_without_a_value_is_named() {
  printf 'seed,arm,value\n1,a,3\n2,a,NA\n3,a,3.1\n4,b,3\n5,b,3.2\n' >"$W/a.csv"
  runs 4 compare a.csv --unpaired
  has out "1 run has no value and is not counted: a.csv:3: seed 2 of arm 'a'."
  runs 4 compare a.csv --against 3
  has out "1 run has no value and is not counted: a.csv:3: seed 2 of arm 'a'."
  runs 4 compare a.csv --unpaired --sentence
  has err "1 run has no value and is not counted: a.csv:3: seed 2 of arm 'a'."
}

kind_seeds_that_were_stopped() {
  printf 'seed,base,fast\n' >"$W/a.csv"
  for seed in 1 2 3 4 5 6; do echo "$seed,3,2.9" >>"$W/a.csv"; done
  runs 0 compare a.csv --anytime
  has out 'better'
  lacks out 'sign flips.'
  head -n 6 "$W/a.csv" >"$W/b.csv"
  runs 4 compare b.csv --anytime
  has out 'unbounded'
  refuses '--anytime or --looks, not both' compare a.csv --anytime --looks 3,6
}

# Two tasks in each results file of lm-evaluation-harness: the line of the refusal names the key that chooses one.
kind_one_task_of_several() {
  local arm i
  for arm in a b; do
    mkdir -p "$W/$arm"
    for i in 1 2 3; do
      echo "{\"results\": {\"arc\": {\"acc,none\": 0.5$i}, \"hs\": {\"acc,none\": 0.4$i}}, \"versions\": {}}" >"$W/$arm/m$i.json"
    done
  done
  refuses '(--where corpus=arc chooses it)' compare . --name '{arm}/m*' --metric acc --better higher --unpaired
  runs 4 compare . --name '{arm}/m*' --metric acc --better higher --unpaired --where corpus=arc && has out '3 runs of each arm'
}

# Evaluations of runs that no column of seeds names are no runs; by their names they make curves.
kind_evaluations_without_seeds() {
  local arm run step
  echo arm,run,step,loss >"$W/e.csv"
  for arm in a b; do
    for run in 1 2 3; do
      for step in 10 20; do echo "$arm,$run,$step,3.$run$step"; done
    done
  done >>"$W/e.csv"
  runs 4 compare e.csv --column arm=arm --metric loss --unpaired && has out '3 runs of each arm'
  runs 4 compare e.csv --metric loss --against 3.1 && has out 'table of runs, 6 runs, 2 arms'
  cut -d, -f1,3- "$W/e.csv" >"$W/no.csv"
  refuses "arm 'a' is there at step 10 and 20, and no column of seeds or names" compare no.csv --column arm=arm --metric loss --unpaired
  grep -v ',20,' "$W/no.csv" >"$W/last.csv"
  runs 4 compare last.csv --column arm=arm --metric loss --unpaired && has out '3 runs of each arm'
}
