"""usage: exit_code.py CODE COMMAND…: runs the command, fails unless it exits with CODE and says why
in one line on stderr (any line at all for CODE 0). The line goes to stdout for FileCheck."""

import subprocess
import sys

expected, command = int(sys.argv[1]), sys.argv[2:]
done = subprocess.run(command, stderr=subprocess.PIPE, stdin=sys.stdin, text=True)
print(done.stderr, end="")
errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
if done.returncode != expected:
    sys.exit(f"exit code {done.returncode}, expected {expected}")
if expected and len(errors) != 1:
    sys.exit(f"{len(errors)} lines of error, expected 1")
