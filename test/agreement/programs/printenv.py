#!/usr/bin/python3 -IS
# The suite's spec/bin/printenv.py, which is for Python 2.
import os
import sys

for name in sys.argv[1:]:
    value = os.environb.get(os.fsencode(name), b'None')
    sys.stdout.buffer.write(value + b'\n')
