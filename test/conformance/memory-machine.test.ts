import { beforeAll, describe } from 'vitest';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { MemoryFilesDriver, MemoryHost, MemoryImageDriver } from '../fixtures/memory-host.ts';
import { memoryImage } from '../fixtures/memory-image.ts';
import { TreeAccess } from '../fixtures/memory-machine/tree-access.ts';
import { skipByName } from './sandbox/named-skips.ts';
import { sandboxSuite } from './sandbox/sandbox-suite.ts';

/** Directories that a sandbox begins with, and a file to remove. */
function fill(liveTree: LiveTree): void {
  const tree = new TreeAccess(liveTree);
  for (const path of ['/etc', '/home', '/root', '/tmp', '/usr', '/usr/lib']) tree.makeDirectory(path);
  tree.makeDirectory('/home/user', { uid: 1000, gid: 1000 });
  tree.touch('/etc/motd');
}

let backend: LocalBackend;
beforeAll(async () => {
  const files = new MemoryFilesDriver();
  files.firstFiles = () => {
    const tree = new LiveTree();
    fill(tree);
    return tree.snapshot();
  };
  backend = new LocalBackend(new MemoryHost(new MemoryImageDriver(await memoryImage(fill)), files));
});

describe.each([
  { title: 'a machine in memory, without init', runtime: 'jail' },
  { title: 'a machine in memory, without init and image, beside one with an image', runtime: 'shell' },
] as const)('$title', ({ runtime }) => {
  skipByName([
    {
      reason:
        'its processes are functions: no process table, no children, no signals of their own, no time or memory',
      tests: [
        'S-6 a command past its deadline is killed with all it started',
        'S-10 a background command answers at once, streams, and is killed with its children',
        'H-8 aborting a command rejects it and leaves nothing of it behind',
        'I-6 orphans are reaped: none is left as a zombie',
        'I-6 how a command ended is told: code, signal, cpu time and memory',
        'O-8 H-9 tells what runs, whose it is and what it takes, without a trace in the history',
      ],
    },
    {
      reason: 'it has no users with rights, no locales and no machine id',
      tests: [
        'I-7 commands run as an ordinary user without capabilities, and as root on request',
        'S-10 text is UTF-8 to programs, unless a command asks for another locale',
        'H-7 X-8 its machine id is new after going back, and in none of its snapshots',
      ],
    },
    {
      reason: 'it has none of these programs: git, python3, tcc, tar, mkfifo',
      tests: [
        'B-3 git, python and a compiled C program work',
        'B-3 H-5 breaking the system and going back makes it work again, with nothing of the newer state',
        'S-4 S-10 an archive is unpacked where it is asked to, in pieces of any size; one that is refused leaves nothing',
        'B-9 B-10 an export of a directory has what is below it, by bytes, and can be unpacked elsewhere',
      ],
    },
    {
      reason: 'it has no bash',
      tests: [
        'S-3 C-2 a fork has the shells of its snapshot, and each goes its own way',
        'X-3 a snapshot says how the command before it was given, how it ended and how long it took',
      ],
    },
  ]);
  sandboxSuite(() => Sandbox.create({ backend, runtime }), undefined, {
    lacks: {
      terminals: 'it has no terminals',
      shells: 'it has no bash',
      ports: 'its programs listen on none',
      workspace: 'it has no git',
    },
  });
});
