#!/usr/bin/env python3
"""What the symbols of a build's object files say of the tree.

    symbols.py BUILD circles [--but FILE...]   circles between files and between rooms, with the symbols of each arrow
    symbols.py BUILD exports                   symbols that no file uses but the one that defines them

Prints what it finds and ends with 1 if there is something. A file points to another when its objects use a symbol,
function or table, that the other's objects define; symbols that several files define (inline functions of C++) make no
arrow. Tests make no arrow, but they use symbols. --but has patterns of files that may stand in a circle; each must match one.
"""
import json
import os
import subprocess
import sys
from fnmatch import fnmatch


def source_of(entry, build, root):
    """The file of the tree that an object comes from; a .cu that the shim compiles is written anew as a .cc."""
    path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
    inside = os.path.relpath(path, build)
    if inside.startswith(".."):
        return os.path.relpath(path, root)
    name = os.path.basename(inside).removeprefix("simt_").removesuffix(".cc")
    cuda = os.path.join("kernels", "cuda", name + ".cu")
    return cuda if os.path.exists(os.path.join(root, cuda)) else inside


def objects(build):
    """The source of each object file of the build."""
    build = os.path.abspath(build)
    with open(os.path.join(build, "compile_commands.json")) as file:
        entries = json.load(file)
    sources = [os.path.normpath(os.path.join(entry["directory"], entry["file"])) for entry in entries]
    root = os.path.commonpath([os.path.dirname(path) for path in sources if os.path.relpath(path, build)[:2] == ".."])
    found = {os.path.join(entry["directory"], entry["output"]): source_of(entry, build, root) for entry in entries}
    return {path: source for path, source in found.items() if os.path.exists(path)}


def read_symbols(source):
    """What each file of the tree defines and uses: {file: names} twice."""
    defined, used = {}, {}
    lines = subprocess.run(["nm", "-A", "-g", "-P", *source], check=True, capture_output=True, text=True).stdout
    for line in lines.splitlines():
        path, rest = line.split(": ", 1)
        name, kind = rest.split()[:2]
        side = used if kind == "U" else defined if kind.isupper() and kind not in "WV" else {}
        side.setdefault(source[path], set()).add(name)
    return defined, used


def homes_of(defined):
    """{symbol: the one file that defines it}; a test may replace a function of ours."""
    homes = {}
    for file, names in defined.items():
        for name in names if not is_test(file) else ():
            homes.setdefault(name, set()).add(file)
    return {name: next(iter(files)) for name, files in homes.items() if len(files) == 1}


def is_test(file):
    return file.startswith("tests/")


def arrows_of(defined, used):
    """{file: {file: symbols}}: who uses what of whom."""
    homes, arrows = homes_of(defined), {}
    for file, names in used.items():
        for name in names if not is_test(file) else ():
            home = homes.get(name, file)
            if home != file:
                arrows.setdefault(file, {}).setdefault(home, set()).add(name)
    return arrows


def room_of(file):
    """As in house.sh: a floor, or a room of bench/."""
    parts = os.path.dirname(file).split("/")
    return "/".join(parts[:2] if parts[0] == "bench" else parts[:1])


def rooms_of(arrows):
    """The same arrows between rooms."""
    rooms = {}
    for file, targets in arrows.items():
        for target, names in targets.items():
            if room_of(file) != room_of(target):
                rooms.setdefault(room_of(file), {}).setdefault(room_of(target), set()).update(names)
    return rooms


def circles_of(arrows):
    """The strongly connected components of more than one node (Tarjan 1972), each sorted."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(arrows.get(node, ())):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for node in sorted(arrows):
        if node not in index:
            visit(node)
    return sorted(found)


def show(kind, circle, arrows):
    print(f"a circle of {kind}: {' '.join(circle)}")
    for a in circle:
        for b in circle:
            if b in arrows.get(a, ()):
                print(f"  {a} -> {b}: {' '.join(sorted(arrows[a][b]))}")


def circles(defined, used, known):
    arrows = arrows_of(defined, used)
    rooms, files, count = rooms_of(arrows), circles_of(arrows), 0
    for circle in files:
        if not all(any(fnmatch(file, pattern) for pattern in known) for file in circle):
            show("files", circle, arrows)
            count += 1
    for circle in circles_of(rooms):
        show("rooms", circle, rooms)
        count += 1
    gone = [pattern for pattern in known if not any(fnmatch(file, pattern) for circle in files for file in circle)]
    for pattern in gone:
        print(f"{pattern}: stands in no circle any more; take it off the list")
    return count + len(gone)


def exports(defined, used):
    """`main` is the linker's."""
    outside = {}
    for file, names in used.items():
        for name in names:
            outside.setdefault(name, set()).add(file)
    lonely = [(file, name, outside.get(name, set()) - {file}) for name, file in homes_of(defined).items() if name != "main"]
    count = 0
    for file, name, users in sorted(lonely):
        if not any(not is_test(user) for user in users):
            print(f"{file}: {name}" + (f" (tests: {' '.join(sorted(users))})" if users else ""))
            count += 1
    return count


def main():
    build, what, *rest = sys.argv[1:]
    symbols = read_symbols(objects(build))
    found = exports(*symbols) if what == "exports" else circles(*symbols, rest[1:])
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
