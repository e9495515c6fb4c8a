"""sign_record.py FOLDER [KEY=TEXT...]: changes texts of FOLDER/record.json and signs it anew, as a program with other bits
would have written it. With arithmetic=HASH the id, and the folder's name, become those of that arithmetic; with schema=6 those
of a program whose specs did not know the bytes of a text, nor which arms older programs trained wrong. Prints the folder's name."""
import hashlib, json, os, re, sys


class Real(float):
    """A number as jansson writes it with 17 digits."""

    def __repr__(self):
        text = re.sub(r"e([-+]?)0*(\d)", lambda e: "e" + e[1].strip("+") + e[2], "%.17g" % self)
        return text if re.search(r"[.e]", text) else text + ".0"


def dump(x):
    if isinstance(x, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{dump(x[k])}" for k in sorted(x)) + "}"
    if isinstance(x, list):
        return "[" + ",".join(map(dump, x)) + "]"
    return repr(x) if isinstance(x, Real) else json.dumps(x, ensure_ascii=False)


def signature(record, curves):
    rest = {k: v for k, v in record.items() if k != "sha256"}
    return hashlib.sha256(dump(rest).encode() + b"\n" + curves).hexdigest()


folder = sys.argv[1].rstrip("/")
record = json.load(open(folder + "/record.json"), parse_float=Real)
curves = open(folder + "/curves.csv", "rb").read()
assert signature(record, curves) == record["sha256"], "this is not how the program signs"
for change in sys.argv[2:]:
    key, text = change.split("=", 1)
    at = record["provenance"] if key in record["provenance"] else record
    assert key in at, key
    at[key] = int(text) if key == "schema" else text
if record["schema"] < 7:
    record["spec"] = re.sub("(text_sha256|mended) = .*\n", "", record["spec"])
    record["spec_sha256"] = hashlib.sha256(record["spec"].encode()).hexdigest()
if any(change.startswith(("arithmetic=", "schema=")) for change in sys.argv[2:]):
    identity = record["spec"] + "".join(f"{key} = {record[key]}\n" for key in ("dataset_sha256", "tokenizer_sha256"))
    identity += f"arithmetic = {record['arithmetic_class']} {record['arithmetic']}\n"
    record["id"] = hashlib.sha256(identity.encode()).hexdigest()
record["sha256"] = signature(record, curves)
json.dump(record, open(folder + "/record.json", "w"), indent=1)
to = os.path.join(os.path.dirname(folder), record["id"])
os.rename(folder, to)
print(record["id"])
