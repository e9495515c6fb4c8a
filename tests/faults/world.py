"""What the loops of tests/faults share: a folder of their own, the program under a fault, what its results are, TAP.

A target is one thing that the program does: a folder it begins in (made once, copied for each try), its commands, and
what must stand there at the end. The first command is the one that is disturbed."""
import os, shutil, signal, subprocess, sys, tempfile

EXPERIMENT = """name: {name}
dataset: text:text.txt
layers: 1
width: 16
heads: 2
context: 8
batch: 2
lr: 1e-3
steps: {steps}
evaluate_at: 0,1
curve_batches: 1
arms:
  plain: {{variant: pre}}
  ours: {{variant: post}}
"""
WRITEUP = 'writeup: "900"\n'
CLAIMS = """writeup: "900"
title: Nothing
source: nobody
setups:
  small:
    keys: {layers: 1, width: 16}
    choices: ["None."]
reported:
  one: {where: nowhere, setup: small, step: 2, seeds: 1, values: {plain: {valid_loss: 2.4}, ours: {valid_loss: 2.5}}}
claims:
  - id: 900-1
    source: nowhere
    says: "Ours is worse."
    setup: small
    at: [2]
    family: "900"
    tests:
      - {metric: valid_loss, contrast: {ours: 1, plain: -1}, expects: higher, test: t,
         reported: {table: one, of: valid_loss, as: difference}}
"""
# What of a record is not time.
RECORD = ('"id":', '"status":', '"diverged_step":', '"loss_chain":', '"parameters_hash":', '"valid_loss":',
          '"dataset_sha256":')


class Target:
    """name; commands: what is done, the first of them disturbed; prepare(world): fills the folder it begins in;
    once: a file that the first command refuses to make again;
    spare: what may be absent after a command that ended well (a cache); volatile: names that hold times;
    told: a note with which it may end well and leave something out;
    reads: a command that ends well after every fault, the old state standing or the new one."""

    def __init__(self, name, commands, prepare=None, spare=(), volatile=(), codes=(0,), once=None,
                 told=None, reads=None):
        self.name, self.commands, self.prepare = name, commands, prepare or (lambda world: None)
        self.spare, self.volatile, self.codes, self.once, self.told = spare, volatile, codes, once, told
        self.reads = reads


class World:
    def __init__(self, program, root, library):
        self.program, self.library = os.path.realpath(program), os.path.realpath(library)
        self.top = os.path.realpath(tempfile.mkdtemp(prefix="normbench-faults."))
        self.work, self.keep, self.log = (os.path.join(self.top, n) for n in ("work", "keep", "log"))
        self.checkout = os.path.realpath(root)
        self.environment = {
            "LC_ALL": "C", "NORMBENCH_ROOT": "root", "TMPDIR": os.path.join(self.work, "tmp"), "PATH": self.top,
            "ASAN_OPTIONS": "verify_asan_link_order=0:exitcode=99:allocator_may_return_null=1",
            "UBSAN_OPTIONS": "halt_on_error=1"}
        self.number, self.failed = 0, 0

    def __enter__(self):
        return self

    def __exit__(self, raised, *_):
        shutil.rmtree(self.top, ignore_errors=True)
        print(f"1..{self.number}", flush=True)
        if not raised:
            sys.exit(1 if self.failed else 0)

    # ---- the program ----

    def run(self, arguments, fault=None, at=0, limit=20):
        """Its code, stdout and stderr; of a signal the code is negative."""
        environment = dict(self.environment)
        if fault:
            environment.update(LD_PRELOAD=self.library, FAULT=fault, FAULT_AT=str(at), FAULT_LOG=self.log,
                               FAULT_KEEP=self.keep)
        with open(os.path.join(self.top, "out"), "w+b") as out, open(os.path.join(self.top, "err"), "w+b") as err:
            try:
                code = subprocess.run([self.program, *arguments], cwd=self.work, env=environment, timeout=limit,
                                      stdin=subprocess.DEVNULL, stdout=out, stderr=err).returncode
            except subprocess.TimeoutExpired:
                code = "still running"
            out.seek(0), err.seek(0)
            return code, out.read().decode(errors="replace"), err.read().decode(errors="replace")

    def struck(self):
        """What the fault hit, "" for nothing."""
        try:
            with open(self.log) as log:
                hits = [line for line in log if line.startswith("struck ")]
        except FileNotFoundError:
            return ""
        return hits[0][7:].strip().replace(self.top + "/", "") if hits else ""

    # ---- folders ----

    def begin(self, source=None):
        """A fresh folder to work in, of what stands in source."""
        for folder in (self.work, self.keep):
            shutil.rmtree(folder, ignore_errors=True)
        if os.path.exists(self.log):
            os.remove(self.log)
        os.mkdir(self.keep)
        if source:
            shutil.copytree(source, self.work, symlinks=True)
            return
        for folder in (("datasets", "cache"), ("bench", "experiments"), ("bench", "claims")):
            os.makedirs(os.path.join(self.work, "root", *folder))
        os.mkdir(os.path.join(self.work, "tmp"))
        os.mkdir(os.path.join(self.work, "root", "results"))
        self.write("text.txt", " ".join(map(str, range(1, 301))) + " ")
        self.write("one.yaml", EXPERIMENT.format(name="one", steps=2))
        self.write("root/bench/experiments/toy.yaml", EXPERIMENT.format(name="toy", steps=2) + WRITEUP)
        self.write("root/bench/claims/900.yaml", CLAIMS)

    def keep_as(self, folder):
        """A copy of the folder, to begin from again."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.work, folder, symlinks=True)

    def write(self, name, text):
        with open(os.path.join(self.work, name), "w") as file:
            file.write(text)

    def age(self, seconds=3600):
        """The machine was off for a while: what a process that is no more claimed is nobody's by then."""
        for folder, _, files in os.walk(self.work):
            for name in files:
                path = os.path.join(folder, name)
                then = os.stat(path).st_mtime - seconds
                os.utime(path, (then, then))

    def must(self, *arguments, codes=(0,)):
        code, out, err = self.run(list(arguments))
        if code not in codes:
            raise SystemExit(f"Bail out! an undisturbed {' '.join(arguments)} ends with {code}: {err[-500:]}")
        return out

    def standing(self, target):
        """What stands in the folder: {path: bytes}, times left out."""
        found = {}
        for folder, folders, files in os.walk(self.work):
            for name in files:
                path = os.path.join(folder, name)
                short = os.path.relpath(path, self.work)
                if name in target.volatile or any(name.endswith(v) for v in target.volatile if v[0] == "-"):
                    continue
                with open(path, "rb") as file:
                    content = file.read()
                if name == "record.json":
                    content = "\n".join(sorted(line for line in content.decode(errors="replace").splitlines()
                                               if line.strip().startswith(RECORD))).encode()
                found[short] = content
            for name in folders:
                if not os.listdir(os.path.join(folder, name)) if not os.path.islink(
                        os.path.join(folder, name)) else False:
                    if name.startswith("."):
                        found[os.path.relpath(os.path.join(folder, name), self.work)] = b""
        return found

    def prepare(self, target):
        """Where each try of a target begins, and what an undisturbed one leaves and prints."""
        start = os.path.join(self.top, "start")
        self.begin()
        target.prepare(self)
        self.keep_as(start)
        target.before = self.standing(target)
        target.printed = self.must(*target.commands[0], codes=target.codes)
        target.after_first = self.standing(target)
        for command in target.commands[1:]:
            self.must(*command)
        target.whole = self.standing(target)
        target.start = start

    # ---- TAP ----

    def report(self, attack, target, tries, failures):
        """failures: what was promised and not kept, one line each."""
        self.number += 1
        self.failed += bool(failures)
        print(f"{'not ok' if failures else 'ok'} {self.number} - {attack}: {target}, {tries} tries")
        print(f"# figure: {attack} | {target} | {tries} | {len(failures)}")
        for line in failures[:20]:
            print("# " + line.replace("\n", "\n#   ")[:1200])
        sys.stdout.flush()


def difference(found, wanted, spare=()):
    """The first paths that differ, "" for none."""
    def is_spare(path):
        return any(path == s or path.startswith(s + "/") for s in spare)
    lines = [f"missing {p}" for p in sorted(wanted.keys() - found.keys()) if not is_spare(p)]
    lines += [f"left behind {p}" for p in sorted(found.keys() - wanted.keys())]
    lines += [f"differs {p}" for p in sorted(found.keys() & wanted.keys()) if found[p] != wanted[p]]
    return ", ".join(lines[:5])


def signal_name(code):
    return signal.Signals(-code).name if isinstance(code, int) and code < 0 else str(code)
