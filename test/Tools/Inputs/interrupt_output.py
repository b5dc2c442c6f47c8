"""usage: interrupt_output.py FOLDER COMMAND…: runs the command, sends SIGTERM as soon as a temporary file
in the folder grows, and fails unless the command ends by that signal."""

import os
import signal
import subprocess
import sys
import time

folder, command = sys.argv[1], sys.argv[2:]
process = subprocess.Popen(command, stdout=subprocess.DEVNULL)


def is_writing():
    try:
        return any(entry.stat().st_size > 4096 for entry in os.scandir(folder))
    except FileNotFoundError:  # renamed in between
        return False


while process.poll() is None and not is_writing():
    time.sleep(0.001)
process.send_signal(signal.SIGTERM)
if process.wait(60) != -signal.SIGTERM:
    sys.exit(f"ended with {process.returncode}, expected SIGTERM")
