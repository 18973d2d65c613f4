#!/usr/bin/python3 -IS
# The suite's spec/bin/argv.py, which is for Python 2.
import os
import sys

print('[' + ', '.join(repr(os.fsencode(arg))[1:] for arg in sys.argv[1:]) + ']')
