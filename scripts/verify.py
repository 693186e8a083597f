#!/usr/bin/env python3
"""Verifies a ledger, written from docs/ledger-format.md alone; needs nothing but Python 3.

It shares no code with `flyball verify` and must agree with it: verdict, codes, records, exit code. The numbers in
comments are sections of that page.

    verify.py LEDGER [--head SEQ:HASH] [--format human|json]

LEDGER is a run's `<run>.jsonl`, or a folder: every run in it. Exit 0 intact, 1 broken, 2 cannot judge, 3 unanchored.
"""

import argparse
import hashlib
import json
import os
import re
import sys

MAX_LINE = 65_536
MAX_VALUE_LINE = 33_554_688
MAX_SEQ = 9_007_199_254_740_991
GRAMMAR_DEPTH = 128
BODY_DEPTH = 80
ZEROS = "0" * 64

HASH = re.compile(r"[0-9a-f]{64}")
SALT = re.compile(r"[0-9a-f]{32}")
DIGITS = re.compile(r"0|[1-9][0-9]*")
WHOLE = re.compile(r"-?[0-9]+")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
KIND = re.compile(r"[a-z0-9._]{1,64}")
RUN = re.compile(r"[0-9A-Za-z_-]{1,64}")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?")
STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
SEGMENT = re.compile(r"(.+)\.([0-9]{6,})")

UNREADABLE = "unreadable"
EXITS = {"intact": 0, "broken": 1, "cannot_judge": 2, "unanchored": 3}
WORST = ["intact", "unanchored", "cannot_judge", "broken"]


class Number(str):
    """A number by the characters that stand there."""


class Object(list):
    """The members of an object as pairs, in the order in which they stand."""

    def names(self):
        return [name for name, _ in self]

    def get(self, name):
        return next((value for key, value in self if key == name), None)


class NotJson(Exception):
    """Bytes that the grammar refuses."""


class NoForm(Exception):
    """A value without a canonical form."""


# ---- JSON by its grammar (7, bad_json)


def refuse_constant(_):
    raise NotJson("NaN and Infinity are not JSON")


def depth_of(data):
    """The deepest nesting of brackets outside strings."""
    depth = deepest = 0
    for byte in STRING.sub(b"", data):
        if byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"]}":
            depth -= 1
    return deepest


DECODER = json.JSONDecoder(
    object_pairs_hook=Object, parse_float=Number, parse_int=Number, parse_constant=refuse_constant, strict=True
)


def parse(data):
    try:
        text = data.decode("utf-8")
        if depth_of(data) > GRAMMAR_DEPTH:
            raise NotJson("too deep")
        text = text.strip(" \t\n\r")
        value, end = DECODER.raw_decode(text)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise NotJson(str(error)) from None
    if end != len(text):
        raise NotJson("more than one value")
    return value


# ---- canonical form (4)


def canonical(value):
    return "".join(parts_of(value, 0)).encode("utf-8")


def parts_of(value, depth):
    if value is None:
        yield "null"
    elif value is True:
        yield "true"
    elif value is False:
        yield "false"
    elif isinstance(value, Number):
        yield number(value)
    elif isinstance(value, str):
        yield string(value)
    else:
        if depth == BODY_DEPTH:
            raise NoForm("too deep")
        yield from object_parts(value, depth) if isinstance(value, Object) else array_parts(value, depth)


def array_parts(value, depth):
    yield "["
    for place, element in enumerate(value):
        if place:
            yield ","
        yield from parts_of(element, depth + 1)
    yield "]"


def object_parts(value, depth):
    if len(set(value.names())) != len(value):
        raise NoForm("a name stands twice")
    yield "{"
    for place, (name, member) in enumerate(sorted(value, key=lambda pair: units(pair[0]))):
        if place:
            yield ","
        yield string(name) + ":"
        yield from parts_of(member, depth + 1)
    yield "}"


def units(text):
    try:
        return text.encode("utf-16-be")
    except UnicodeEncodeError:
        raise NoForm("a lone surrogate") from None


def string(text):
    units(text)
    return json.dumps(text, ensure_ascii=False)


def number(token):
    """Only a number that is in its form already is given back; any other has another form, or none."""
    if token == "-0" or not NUMBER.fullmatch(token):
        raise NoForm("the number is in another form")
    whole, _, fraction = token.lstrip("-").partition(".")
    significant = (whole + fraction).strip("0")
    zeros = 0 if fraction else len(whole) - len(whole.rstrip("0"))
    if len(significant) > 34 or len(fraction) > 400 or (significant and zeros > 400):
        raise NoForm("the number is out of range")
    return token


# ---- one line (2, 3, 7)


class Record:
    """What stands in a line whose members are right."""

    def __init__(self, body, digest):
        self.data = body.get("data")
        self.prev = body.get("prev")
        self.run = body.get("run")
        self.seq = int(body.get("seq"))
        self.digest = digest


def has_form(value, pattern):
    return type(value) is str and pattern.fullmatch(value) is not None


def fields_are_right(body):
    names = ["data", "kind", "prev", "run", "seq", "v"]
    if body.names() not in (names, ["at", *names]):
        return False
    seq, version = body.get("seq"), body.get("v")
    return (
        (len(body) == len(names) or has_form(body.get("at"), TIME))
        and isinstance(body.get("data"), Object)
        and has_form(body.get("kind"), KIND)
        and has_form(body.get("prev"), HASH)
        and has_form(body.get("run"), RUN)
        and isinstance(seq, Number)
        and DIGITS.fullmatch(seq) is not None
        and len(seq) <= 16
        and int(seq) <= MAX_SEQ
        and isinstance(version, Number)
        and version == "1"
    )


def is_another_version(body):
    versions = [value for name, value in body if name == "v"]
    if len(versions) != 1 or not isinstance(versions[0], Number):
        return False
    return WHOLE.fullmatch(versions[0]) is not None and versions[0] != "1"


def bare_value(data):
    """Exactly one JSON value without white space around it."""
    if not data or data[:1] in b" \t\n\r" or data[-1:] in b" \t\n\r":
        raise NotJson("no bare value")
    return parse(data)


def split_envelope(line):
    """The bytes of the body, and the hash as written."""
    digest = line[-66:-2].decode("latin-1")
    if len(line) < 83 or line[:8] != b'{"body":' or line[-75:-66] != b',"hash":"' or line[-2:] != b'"}':
        raise NotJson("no envelope")
    if not HASH.fullmatch(digest):
        raise NotJson("no hash")
    return line[8:-75], digest


def judge_line(line):
    """The code of the first thing that is wrong with a line alone, or None; and the record, where one stands there."""
    if len(line) > MAX_LINE - 1:
        return "bad_json", None
    try:
        parse(line)
    except NotJson:
        return "bad_json", None
    try:
        data, digest = split_envelope(line)
        body = bare_value(data)
    except NotJson:
        return "bad_envelope", None
    if not isinstance(body, Object):
        return "not_an_object", None
    is_hashed = hashlib.sha256(data).hexdigest() == digest
    if is_another_version(body):
        return ("unknown_version" if is_hashed else "hash_mismatch"), None
    if not fields_are_right(body):
        return "missing_fields", None
    record = Record(body, digest)
    try:
        is_canonical = canonical(body) == data
    except NoForm:
        is_canonical = False
    if not is_canonical:
        return "unserialisable_payload", record
    return (None if is_hashed else "hash_mismatch"), record


# ---- the chain (7)


class Chain:
    def __init__(self, anchors):
        self.anchors = anchors
        self.next, self.prev, self.head = 0, ZEROS, None
        self.run = next((anchor["run"] for anchor in anchors if "run" in anchor), None)
        self.records, self.anchored = 0, None

    def push(self, line):
        code, record = judge_line(line)
        if code is None:
            code = self.judge_link(record)
        self.go_on(record)
        return code, record

    def judge_link(self, record):
        if record.seq != self.next:
            return "seq_gap"
        if self.prev is not None and record.prev != self.prev:
            return "prev_mismatch"
        if self.run is not None and record.run != self.run:
            return "prev_mismatch"
        here = [anchor for anchor in self.anchors if anchor["seq"] == record.seq]
        for anchor in here:
            if anchor["hash"] != record.digest or anchor.get("run") not in (None, record.run):
                return "anchor_mismatch"
        if here:
            self.anchored = max(record.seq, self.anchored or 0)
        return None

    def go_on(self, record):
        self.records += 1
        if record is None:
            self.next += 1
            self.prev = None
            return
        self.next, self.prev, self.run = record.seq + 1, record.digest, record.run
        self.head = {"seq": record.seq, "hash": record.digest}


# ---- values (6)


def references(value):
    """Every reference in a record's data."""
    if isinstance(value, Object):
        n, ref = value.get("n"), value.get("ref")
        is_whole = isinstance(n, Number) and DIGITS.fullmatch(n) is not None and int(n) < 2**64
        if is_whole and has_form(ref, HASH) and set(value.names()) <= {"masked", "n", "ref", "value"}:
            yield ref
        for name, member in value:
            if name != "value":
                yield from references(member)
    elif isinstance(value, list):
        for element in value:
            yield from references(element)


def split_value(line):
    if len(line) >= MAX_VALUE_LINE:
        return None
    ref, salt = line[8:72].decode("latin-1"), line[82:114].decode("latin-1")
    fits = line[:8] == b'{"ref":"' and line[72:82] == b'","salt":"' and line[114:124] == b'","value":'
    if not fits or line[-1:] != b"}" or len(line) < 125 or not HASH.fullmatch(ref) or not SALT.fullmatch(salt):
        return None
    return ref, bytes.fromhex(salt), line[124:-1]


# ---- files (1, 5)


def lines_of(path):
    """Each complete line without its LF; then the torn tail, if there is one."""
    with open(path, "rb") as file:
        for line in file:
            yield (line[:-1], True) if line.endswith(b"\n") else (line, False)


def segment_of(name):
    """The run and the number of a file that is named as a segment."""
    if not name.endswith(".jsonl") or name.endswith((".values.jsonl", ".answers.jsonl")) or name == ".jsonl":
        return None
    stem = name[: -len(".jsonl")]
    numbered = SEGMENT.fullmatch(stem)
    if not numbered:
        return stem, 0
    number = int(numbered[2][:12])
    return (numbered[1], number) if 0 < number < 2**32 and f"{number:06}" == numbered[2] else None


def runs_in(folder):
    runs = {}
    for name in os.listdir(folder):
        found = segment_of(name)
        if found:
            runs.setdefault(found[0], {})[found[1]] = os.path.join(folder, name)
    return {run: [path for _, path in sorted(segments.items())] for run, segments in sorted(runs.items())}


def runs_at(path):
    """The runs that are asked for: their path without the ending, and their segments."""
    if os.path.isdir(path):
        return [(os.path.join(path, run), segments) for run, segments in runs_in(path).items()]
    folder, name = os.path.split(path)
    found = segment_of(name)
    if not found:
        return [(path, [path])]
    try:
        segments = runs_in(folder or ".").get(found[0]) or [path]
    except OSError:
        segments = [path]
    return [(os.path.join(folder, found[0]), segments)]


def read_head(path):
    """The anchor of a head file; None where there is no file."""
    try:
        with open(path, "rb") as file:
            data = file.read(257)
    except FileNotFoundError:
        return None
    if not data.strip(b"\0"):
        return None
    body = parse(data)
    if not isinstance(body, Object) or body.names() != ["hash", "run", "seq"]:
        raise NotJson("no head")
    digest, run, seq = (value for _, value in body)
    if not (has_form(digest, HASH) and has_form(run, RUN) and isinstance(seq, Number) and DIGITS.fullmatch(seq)):
        raise NotJson("no head")
    if len(seq) > 16 or int(seq) > MAX_SEQ or data != canonical(body).ljust(255) + b"\n":
        raise NotJson("no head")
    return {"hash": digest, "run": run, "seq": int(seq)}


class Run:
    """One run, verified."""

    def __init__(self, base, segments, anchor):
        self.base, self.problems, self.torn_tail = base, [], 0
        self.path = base if segments == [base] else base + ".jsonl"
        self.named, self.missing, self.sound, self.torn_values = {}, [], set(), 0
        anchors = [anchor] if anchor else []
        head_problem = self.add_head(anchors)
        self.chain = Chain(anchors)
        if self.read_segments(segments):
            self.look_for_anchors(segments[-1])
            if head_problem:
                self.tell(UNREADABLE, self.chain.records, base + ".head", 0)
            self.read_values(base + ".values.jsonl")

    def add_head(self, anchors):
        try:
            head = read_head(self.base + ".head")
        except (NotJson, NoForm, OSError):
            return True
        if head:
            anchors.append(head)
        return False

    def tell(self, code, record, path, line):
        self.problems.append({"code": code, "record": record, "file": os.path.basename(path), "line": line})

    def read_segments(self, segments):
        for path in segments:
            try:
                self.read_segment(path, path == segments[-1])
            except OSError:
                self.tell(UNREADABLE, self.chain.records, path, 0)
                return False
        return True

    def read_segment(self, path, is_last):
        for number, (line, is_complete) in enumerate(lines_of(path), 1):
            index = self.chain.records
            if not is_complete and is_last:
                self.torn_tail = len(line)
                return
            if is_complete:
                code, record = self.chain.push(line)
            else:
                code, record = "bad_json", None
                self.chain.go_on(None)
            if code:
                self.tell(code, index, path, number)
            else:
                for ref in references(record.data):
                    self.named.setdefault(ref, index)

    def look_for_anchors(self, path):
        if any(anchor["seq"] >= self.chain.next for anchor in self.chain.anchors):
            self.tell("size_less_than_anchor", self.chain.records, path, 0)

    def read_values(self, path):
        present = set()
        try:
            for number, (line, is_complete) in enumerate(lines_of(path), 1):
                if not is_complete:
                    self.torn_values = len(line)
                    break
                self.read_value(path, number, line, present)
        except FileNotFoundError:
            pass
        except OSError:
            self.tell(UNREADABLE, self.chain.records, path, 0)
        self.missing = sorted((record, ref) for ref, record in self.named.items() if ref not in present)

    def read_value(self, path, number, line, present):
        parts = split_value(line)
        if parts is None:
            self.tell("value_mismatch", self.chain.records, path, number)
            return
        ref, salt, value = parts
        present.add(ref)
        if hashlib.sha256(salt + value).hexdigest() != ref:
            self.tell("value_mismatch", self.named.get(ref, self.chain.records), path, number)
        elif ref in self.named:
            self.sound.add(ref)

    def verdict(self):
        if self.problems:
            return "cannot_judge" if self.problems[0]["code"] in (UNREADABLE, "unknown_version") else "broken"
        if not self.chain.records:
            return "cannot_judge"
        return "intact" if self.chain.anchored is not None and not self.torn_tail else "unanchored"

    def report(self):
        return {
            "file": os.path.basename(self.path),
            "verdict": self.verdict(),
            "exit": EXITS[self.verdict()],
            "run": self.chain.run,
            "records": self.chain.records,
            "head": self.chain.head,
            "anchored": self.chain.anchored,
            "tornTail": self.torn_tail,
            "problems": self.problems,
            "values": {
                "named": len(self.named),
                "sound": len(self.sound),
                "missing": [{"record": record, "ref": ref} for record, ref in self.missing],
                "tornTail": self.torn_values,
            },
        }


def anchor_of(text):
    seq, _, digest = text.partition(":")
    if not DIGITS.fullmatch(seq) or len(seq) > 16 or int(seq) > MAX_SEQ or not HASH.fullmatch(digest):
        raise argparse.ArgumentTypeError("an anchor is SEQ:HASH")
    return {"seq": int(seq), "hash": digest}


def told(run):
    lines = [f"{run.path}: {run.verdict()}, {run.chain.records} records"]
    lines += [f"  {p['file']}:{p['line']}: record {p['record']}: {p['code']}" for p in run.problems]
    if run.torn_tail:
        lines.append(f"  torn tail of {run.torn_tail} bytes")
    lines += [f"  record {record}: value {ref} is not there" for record, ref in run.missing]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="Verify a ledger")
    parser.add_argument("ledger")
    parser.add_argument("--head", type=anchor_of, metavar="SEQ:HASH")
    parser.add_argument("--format", choices=["human", "json"], default="human")
    arguments = parser.parse_args()
    worst = "intact"
    runs = runs_at(arguments.ledger)
    if not runs:
        print(f"there is no ledger in {arguments.ledger}", file=sys.stderr)
        return EXITS["cannot_judge"]
    for base, segments in runs:
        run = Run(base, segments, arguments.head)
        worst = max(worst, run.verdict(), key=WORST.index)
        print(json.dumps(run.report()) if arguments.format == "json" else told(run))
    return EXITS[worst]


if __name__ == "__main__":
    sys.exit(main())
