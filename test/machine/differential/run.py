"""Runs every scenario in an empty directory of the file system under test; prints what each saw as JSON.

Usage: run.py DIRECTORY [SCENARIO...]
"""

import importlib
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE / 'scenarios'))

from trace import Trace  # noqa: the path comes first: the standard library has a module of that name


def scenarios():
    for path in sorted((HERE / 'scenarios').glob('*.py')):
        module = importlib.import_module(path.stem)
        for name, scenario in vars(module).items():
            if callable(scenario) and scenario.__module__ == path.stem and not name.startswith('_'):
                yield f'{path.stem}.{name}', scenario


def run(name, scenario, directory):
    """In a process of its own, for its descriptors, working directory and locks."""
    place = os.path.join(directory, name)
    os.mkdir(place)
    trace = Trace()

    def work(child):
        os.chdir(place)
        os.umask(0o022)
        scenario(child)

    trace.child(work)
    return trace.lines


def main(directory, *wanted):
    told = {name: run(name, scenario, directory) for name, scenario in scenarios() if not wanted or name in wanted}
    json.dump(told, sys.stdout)


main(*sys.argv[1:])
