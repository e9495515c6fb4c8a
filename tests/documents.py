"""The documents whose blocks, numbers and commands tests hold, and how many lines each may have."""
import glob
import os

MOST = {"README.md": 120, "REPRODUCE.md": 120}
MOST_OF_A_PAGE = 300  # of docs/


def documents(root):
    """Paths from the root."""
    return ["README.md", "REPRODUCE.md", *sorted(glob.glob("docs/*.md", root_dir=root))]


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return file.read()


def too_long(root):
    for name in documents(root):
        lines, most = read(root, name).count("\n"), MOST.get(name, MOST_OF_A_PAGE)
        if lines > most:
            yield f"{name}: {lines} lines, {most} at most"
