#!/usr/bin/env python3
"""Runs a folder of IR files with reference values through the compiler and prints a table.

usage: corpus.py DIR [--build=build] [--tiles=3x5,4x4] [--device=cpu|cuda] [--filter=TEXT]
                 [--json=FILE] [--jobs=2]

DIR holds MANIFEST.tsv (columns file, function, values, forward; forward lists the accepted numbers
of fused regions, as in `1` or `0|1`), mlir/ and npz/ (arg0, …, ref0, …). For every row:
  fa-opt --fuse-attention=to=op     how many regions fused: is the number accepted?
  fa-run --inputs --expect          fused, on --device: are the values right? (and with forced --tiles)
Where values differ from the file's, `fa-run --verify` decides: if the program agrees with its own IR
evaluated in f64, the file's values belong to another program, and the row is listed as such.

exit codes: 0 all well; 1 a value is wrong, a row is above its accepted number, a command failed, or
too little fused (of the rows that do not accept 0: two thirds of all, half of each route); 2 usage.
"""

import argparse
import collections
import concurrent.futures
import csv
import json
import os
import re
import subprocess
import sys
import time

TIMEOUT_S = 120
ROUTE_SHARE = 1 / 2
TOTAL_SHARE = 2 / 3


def run(command):
    """(exit code, stdout, first line of stderr that says something)"""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return -1, "", f"no answer within {TIMEOUT_S} s"
    return done.returncode, done.stdout, done.stderr


def first_line(text, pattern=""):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    matching = [line for line in lines if re.search(pattern, line)]
    return (matching or lines or [""])[0][:300]


def count_regions(row, tools, folder):
    """Fills in how many regions fused, and the first reason why one did not."""
    path = os.path.join(folder, "mlir", row["file"])
    code, out, err = run([os.path.join(tools, "fa-opt"), path, "--fuse-attention=to=op"])
    if code:
        row["failure"] = f"fa-opt exits {code}: " + first_line(err, "error|Assertion|LLVM ERROR")
        row["results"]["fa-opt"] = "failed"
        return
    row["fused"] = len(re.findall(r"= fa\.attention ", out))
    row["reason"] = first_line(err, "[Mm]issed|not fused|because")


def check_values(row, tools, folder, tile, device):
    """Runs the fused program; returns "right", "wrong", "file" or "failed"."""
    path = os.path.join(folder, "mlir", row["file"])
    values = os.path.join(folder, "npz", row["values"])
    command = [os.path.join(tools, "fa-run"), path, "--function=" + row["function"],
               "--device=" + device, "--inputs=" + values]
    command += ["--tile=" + tile] if tile else []
    code, out, err = run(command + ["--expect=" + values])
    if code == 0:
        return "right"
    if code == 1 and run(command + ["--verify"])[0] == 0:
        return "file"
    what = f"fa-run{' --tile=' + tile if tile else ''} exits {code}: "
    row.setdefault("failure", what + first_line(err + "\n" + out, "error|differ|worst|Assertion"))
    return "wrong" if code == 1 else "failed"


def process(row, tools, folder, tiles, device):
    start = time.time()
    row["accepted"] = [int(n) for n in row["forward"].split("|")]
    row["results"] = {}
    count_regions(row, tools, folder)
    for tile in tiles:
        row["results"][tile or "default"] = check_values(row, tools, folder, tile, device)
    row["seconds"] = round(time.time() - start, 2)
    return row


def summarize(rows):
    """Counts by route (the file name up to the first `_`), and "all"."""
    table = collections.defaultdict(collections.Counter)
    for row in rows:
        for route in (row["file"].split("_")[0], "all"):
            count = table[route]
            count["files"] += 1
            fused = row.get("fused")
            if fused is not None and fused > max(row["accepted"]):
                count["above"] += 1
            if 0 not in row["accepted"]:
                count["candidates"] += 1
                count["fused"] += fused in row["accepted"]
            for result in set(row["results"].values()):
                count[result] += 1
            count["allright"] += set(row["results"].values()) <= {"right", "file"}
    return table


def print_table(table):
    print(f"{'route':<22}{'files':>6}{'values right':>14}{'wrong':>7}{'failed':>8}"
          f"{'to fuse':>9}{'fused':>7}{'share':>7}{'above':>7}")
    for route in sorted(table, key=lambda r: (r == "all", r)):
        c = table[route]
        share = f"{c['fused'] / c['candidates']:.0%}" if c["candidates"] else "-"
        print(f"{route:<22}{c['files']:>6}{c['allright']:>14}{c['wrong']:>7}{c['failed']:>8}"
              f"{c['candidates']:>9}{c['fused']:>7}{share:>7}{c['above']:>7}")


def print_rows(rows):
    for row in rows:
        fused, accepted = row.get("fused"), row["forward"]
        if row.get("failure"):
            print(f"FAIL    {row['file']}: {row['failure']}")
        if "file" in row["results"].values():
            print(f"FILE    {row['file']}: agrees with its own IR in f64, not with the file's values")
        if fused is not None and fused > max(row["accepted"]):
            print(f"ABOVE   {row['file']}: fused {fused}, accepted {accepted}")
        elif fused is not None and fused not in row["accepted"]:
            print(f"MISSED  {row['file']}: fused {fused}, accepted {accepted}: {row['reason']}")


def judge(table):
    """Every reason to exit 1."""
    total = table["all"]
    reasons = [f"{total[key]} files {text}" for key, text in
               (("wrong", "with wrong values"), ("failed", "that failed"),
                ("above", "above their accepted number")) if total[key]]
    for route, c in sorted(table.items()):
        share = TOTAL_SHARE if route == "all" else ROUTE_SHARE
        if c["fused"] < share * c["candidates"]:
            reasons.append(f"{route}: {c['fused']} of {c['candidates']} fused, below {share:.0%}")
    return reasons


def read_manifest(folder, text):
    try:
        with open(os.path.join(folder, "MANIFEST.tsv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
    except OSError as error:
        print(f"error: cannot read the manifest: {error}", file=sys.stderr)
        sys.exit(2)
    return [row for row in rows if text in row["file"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--build", default="build", help="the build folder")
    parser.add_argument("--tiles", default="", help="also run with these forced tiles, e.g. 3x5,4x4")
    parser.add_argument("--device", default="cpu", help="where fused regions run: cpu or cuda[:N]")
    parser.add_argument("--filter", default="", help="only files whose name contains this")
    parser.add_argument("--json", metavar="FILE", help="everything, machine-readable")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    tools = os.path.join(options.build, "bin")
    tiles = [""] + [tile for tile in options.tiles.split(",") if tile]
    rows = read_manifest(options.folder, options.filter)
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(
            lambda row: process(row, tools, options.folder, tiles, options.device), rows))
    table = summarize(rows)
    print_rows(rows)
    print_table(table)
    reasons = judge(table)
    print(f"{len(rows)} files in {time.time() - start:.0f} s: " + ("; ".join(reasons) or "all well"))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"rows": rows, "routes": table, "reasons": reasons}, file, indent=1)
    return 1 if reasons else 0


if __name__ == "__main__":
    sys.exit(main())
