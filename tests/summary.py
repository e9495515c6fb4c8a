#!/usr/bin/env python3
"""The verdict on a run of Meson's tests, whose last line is "N passed, N failed".

  summary.py LOG VERDICT [--times]    LOG.junit.xml and LOG.json are Meson's, VERDICT its exit code; --times: the slowest tests

A test that was skipped has failed, unless it says that this machine lacks what it is about."""
import json, re, sys, xml.etree.ElementTree as tree

LACKS = "no CUDA device|no CUDA toolkit|no bf16 instruction|backend 'v[34]': this machine cannot run it"
SLOWEST = 25


def cases_of(path):
    """(name, passed, why it was skipped or None) of each test of the report."""
    for case in tree.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname', '')} {case.get('name', '')}".strip()
        skipped, why = case.find("skipped"), None
        if skipped is not None:
            why = " ".join(filter(None, (skipped.get("message"), skipped.text, case.findtext("system-out"))))
        yield name, case.find("failure") is None and case.find("error") is None, why


def print_times(path):
    rows = sorted(((t["duration"], t["name"].split(" / ")[-1]) for t in map(json.loads, open(path))), reverse=True)
    total = sum(seconds for seconds, _ in rows)
    print(f"seconds  test ({len(rows)} of {total:.0f} s in all)")
    for seconds, name in rows[:SLOWEST]:
        print(f"{seconds:7.1f}  {name}")


def main(log, verdict, times):
    passed, failed = 0, []
    try:
        for name, good, why in cases_of(log + ".junit.xml"):
            if not good:
                failed.append(name)
            elif why is None:
                passed += 1
            elif re.search(LACKS, why):
                print("skipped", name + ":", " ".join(why.split())[:200])
            else:
                failed.append(f"skipped: {name}")
        if times:
            print_times(log + ".json")
    except (OSError, tree.ParseError) as problem:
        failed.append(f"no test report: {problem}")
    if not passed:
        failed.append("no test ran")
    if verdict != "0" and not failed:
        failed.append(f"meson test ended with {verdict}")
    for name in failed:
        print("FAILED", name)
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:] == ["--times"]))
