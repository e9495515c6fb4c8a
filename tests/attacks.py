#!/usr/bin/env python3
"""The tests' figures as one table: what was attacked, how often, how often a promise was not kept.

  attacks.py LOG    LOG is Meson's; a test prints `# figure: ATTACK | TARGET | TRIES | FAILURES` for each of its loops"""
import re, sys

LINE = re.compile(r"^# figure: ([^|]+) \| ([^|]+) \| (\d+) \| (\d+)$", re.MULTILINE)


def table(log):
    attacks = {}
    for attack, target, tries, failures in LINE.findall(log):
        row = attacks.setdefault(attack.strip(), [[], 0, 0])
        if target.strip() not in row[0]:
            row[0].append(target.strip())
        row[1] += int(tries)
        row[2] += int(failures)
    if not attacks:
        return ""
    rows = [("attack", "targets", "tries", "failures")]
    rows += [(name, str(len(targets)), f"{tries:,}", f"{failures:,}") for name, (targets, tries, failures) in attacks.items()]
    rows.append((f"{len(attacks)} attacks", "", f"{sum(row[1] for row in attacks.values()):,}",
                 f"{sum(row[2] for row in attacks.values()):,}"))
    wide = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = ["  ".join([row[0].ljust(wide[0]), *(cell.rjust(w) for cell, w in zip(row[1:], wide[1:]))]) for row in rows]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], errors="replace") as file:
        print(table(file.read()), end="")
