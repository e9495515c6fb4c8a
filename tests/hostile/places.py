#!/usr/bin/env python3
"""A run, its table and the other commands in places that nobody would choose. TAP.

  places.py PROGRAM ROOT CLOCK [--quick]     CLOCK: clock.c as a library; --quick: fewer limits

Each ends with the bytes of a run in a usual place, or with 3 and one line that says why; then the same command in a usual
place ends with the usual bytes. A command whose output is lost ends with 3."""
import argparse, os, resource, signal, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), os.pardir, "faults"))
from calls import COSTS, RUN, TABLE, both_stored, losses
from world import Target, World, difference, signal_name

ONE = [*RUN, "--checkpoint-every", "0"]
READ = (TABLE, ["claims", "--results", "r"], ["status", "toy", "--results", "r"], ["runs", "toy", "--results", "r"], ["list"],
        ["compare", "losses.csv", "--fail-on", "worse-by:9"], ["explain", "pre"], ["show", "plain", "--results", "r"], ["--version"], [])
ROOT_RIGHTS = "-dac_override,-dac_read_search"


class Place:
    """name; limits: {resource: value}; environment; umask; front: a command before the program; prepare(world): what stands
    there; streams: of Popen; codes: how a command may end."""

    def __init__(self, name, limits=None, environment=None, umask=None, front=(), prepare=None, cwd=None, codes=(0,), after=None):
        self.name, self.limits, self.environment, self.umask = name, limits or {}, environment or {}, umask
        self.front, self.prepare, self.cwd, self.codes, self.after = list(front), prepare, cwd, codes, after


def run(world, place, command, stdout=subprocess.PIPE):
    def enter():
        if place.umask is not None:
            os.umask(place.umask)
        for limit, value in place.limits.items():
            resource.setrlimit(limit, (value, value))

    process = subprocess.Popen([*place.front, world.program, *command], cwd=world.work, env={**world.environment, **place.environment},
                               stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, preexec_fn=enter)
    try:
        out, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        return "still running", b"", ""
    return process.returncode, out or b"", err.decode(errors="replace")


def linked(*names):
    """Folders of the results that are links to another file system."""
    def make(world):
        for name in names:
            far = tempfile.mkdtemp(dir=world.far)
            os.makedirs(os.path.dirname(os.path.join(world.work, name)) or ".", exist_ok=True)
            os.symlink(far, os.path.join(world.work, name))
    return make


def not_mine(world):
    world.write("tmp.txt", "")
    os.chmod(os.path.join(world.work, "tmp"), 0o555)


def writable(world):
    os.chmod(os.path.join(world.work, "tmp"), 0o755)


def places(world, clock, quick):
    rights = ["setpriv", f"--bounding-set={ROOT_RIGHTS}", f"--inh-caps={ROOT_RIGHTS}"] if os.getuid() == 0 else []
    jumps = ("1970", "2038", "9999", "back", "forth", "wild")
    zones = ("Pacific/Kiritimati", "America/St_Johns", ":/etc/passwd", "<b>17:59", "x" * 4000)
    sizes = [256 << k for k in range(0, 9, 4 if quick else 1)]
    image = os.path.getsize(world.program)  # below it the kernel ends the program before it begins
    memory = [image + (m << 20) for m in ((4, 28) if quick else (*range(2, 56, 2), *range(56, 192, 8)))]
    files = (3, 5, 8) if quick else range(3, 24)
    return {
        "another clock": [Place(j, environment={"LD_PRELOAD": clock, "CLOCK": j}) for j in jumps],
        "another time zone": [Place(z[:20], environment={"TZ": z}) for z in zones],
        "another language": [Place(f"{n}={v}", environment={n: v}) for n in ("LC_ALL", "LC_NUMERIC", "LANG", "LANGUAGE")
                             for v in ("de_DE.UTF-8", "tr_TR.ISO-8859-9", "../../etc", "x" * 4000)],
        "umask": [Place(f"{m:03o}", umask=m, front=rights, codes=(0,) if m < 0o400 else (3,)) for m in (0, 0o77, 0o777)],
        "links and other file systems": [Place("results", prepare=linked("r")), Place("runs", prepare=linked("r/runs")),
                                         Place("out", prepare=linked("r/out")), Place("runs and out", prepare=linked("r/runs", "r/out")),
                                         Place("temporary files", environment={"TMPDIR": world.far})],
        "no place for temporary files": [Place("absent", environment={"TMPDIR": "/nowhere/at/all"}, codes=(0, 3)),
                                         Place("a file", environment={"TMPDIR": "/dev/null"}, codes=(0, 3)),
                                         Place("a long name", environment={"TMPDIR": "/" + "x" * 5000}, codes=(0, 3)),
                                         Place("read-only", front=rights, prepare=not_mine, after=writable, codes=(0, 3))],
        "small limit of memory": [Place(f"{m >> 20} MiB", {resource.RLIMIT_AS: m}, codes=(0, 3, 127)) for m in memory],
        "small limit of open files": [Place(f"{n} files", {resource.RLIMIT_NOFILE: n}, codes=(0, 3, 127)) for n in files],
        "small limit of a file's size": [Place(f"{n} bytes", {resource.RLIMIT_FSIZE: n}, codes=(0, 3)) for n in sizes],
        "small stack": [Place(f"{n} KiB", {resource.RLIMIT_STACK: n << 10}) for n in (1024, 512)],
    }


def attempt(world, target, place):
    """The run, then its table, in this place; what is wrong."""
    world.begin(target.start)
    if place.prepare:
        place.prepare(world)
    for command in target.commands:
        code, out, err = run(world, place, command)
        if code not in place.codes:
            return f"{command[0]}: exit {signal_name(code)}: {err[-300:]}"
        if code == 127 and "error while loading shared libraries" not in err:
            return f"{command[0]}: exit 127: {err[-300:]}"
        if code == 3:
            last = err.rstrip("\n").split("\n")[-1]
            if not last.startswith("normbench: ") or last.startswith("normbench: note"):
                return f"{command[0]}: no line says why: {err[-300:]}"
        if code:
            break
    if place.after:
        place.after(world)
    for folder, folders, names in os.walk(world.work):
        for name in folders + names:
            if not os.path.islink(os.path.join(folder, name)):
                os.chmod(os.path.join(folder, name), 0o755)
    for command in target.commands:
        usual, _, err = world.run(command)
        if usual:
            return f"{command[0]} in a usual place afterwards: exit {signal_name(usual)}: {err[-300:]}"
    whole = {p: c for p, c in target.whole.items()}
    now = {p: c for p, c in world.standing(target).items() if not p.startswith("tmp")}
    for name in ("r", "r/runs", "r/out"): # what stands behind links
        link = os.path.join(world.work, name)
        if os.path.islink(link):
            for folder, _, names in os.walk(os.path.realpath(link)):
                for n in names:
                    short = os.path.relpath(os.path.join(folder, n), os.path.realpath(link))
                    with open(os.path.join(folder, n), "rb") as file:
                        now[os.path.join(name, short)] = file.read()
            now = {p: (whole.get(p) if p.endswith("record.json") and p in whole else c) for p, c in now.items()
                   if not p.endswith(COSTS)}
    return difference(now, {p: c for p, c in whole.items() if not p.startswith("tmp")})


def lost_output(world):
    """Every command with an output that is full, closed, or a pipe that nobody reads."""
    both_stored(world)
    losses(world)
    for how in ("full", "closed", "a pipe that nobody reads"):
        wrong = []
        for command in READ:
            if how == "full":
                with open("/dev/full", "w") as full:
                    code, _, err = run(world, Place(how), command, full)
            elif how == "closed":
                code, _, err = run(world, Place(how, front=["sh", "-c", 'exec "$0" "$@" >&-']), command)
            else:
                ends = os.pipe()
                os.close(ends[0])
                code, _, err = run(world, Place(how), command, ends[1])
                os.close(ends[1])
            if code not in ((141, -signal.SIGPIPE) if how.startswith("a pipe") else (3,)):
                wrong.append(f"{' '.join(command)}: exit {signal_name(code)}: {err[-200:]}")
            elif code == 3 and "stdout: cannot write" not in err:
                wrong.append(f"{' '.join(command)}: {err[-200:]}")
        world.report("output", how, len(READ), wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program"), parser.add_argument("root"), parser.add_argument("clock")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    far, target = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None, Target("place", [ONE, TABLE], volatile=COSTS)
    with World(options.program, options.root, "") as world, tempfile.TemporaryDirectory(dir=far) as world.far:
        world.environment["PATH"] = world.top + ":/usr/bin:/bin"
        world.prepare(target)
        for name, rows in places(world, os.path.realpath(options.clock), options.quick).items():
            wrong = [(place.name, attempt(world, target, place)) for place in rows]
            world.report("place", name, len(rows), [f"{n}: {w}" for n, w in wrong if w])
        world.begin()
        lost_output(world)


if __name__ == "__main__":
    main()
