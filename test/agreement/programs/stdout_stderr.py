#!/usr/bin/python3 -IS
# The suite's spec/bin/stdout_stderr.py, which is for Python 2. What it writes to stderr comes first: stdout is buffered.
import sys

args = sys.argv[1:] + ['STDOUT', 'STDERR', '0'][len(sys.argv) - 1:]
print(args[1], file=sys.stderr)
print(args[0])
sys.exit(int(args[2]))
