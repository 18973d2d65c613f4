import { describe } from 'vitest';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { skipByName } from './sandbox/named-skips.ts';
import { sandboxSuite } from './sandbox/sandbox-suite.ts';

const backend = shellBackend();

describe('a shell in this process', () => {
  skipByName([
    {
      reason:
        'its processes are functions in one thread: no memory, processor time or stops of their own, and no /proc',
      tests: [
        'I-6 how a command ended is told: code, signal, cpu time and memory',
        'I-6 jobs: Ctrl-Z stops, fg continues, Ctrl-C interrupts, & runs behind',
        'O-8 H-9 tells what runs, whose it is and what it takes, without a trace in the history',
        'I-7 commands run as an ordinary user without capabilities, and as root on request',
      ],
    },
    {
      reason: 'it has no machine id, no git, no python and no compiler',
      tests: [
        'H-7 X-8 its machine id is new after going back, and in none of its snapshots',
        'B-3 git, python and a compiled C program work',
        'B-3 H-5 breaking the system and going back makes it work again, with nothing of the newer state',
      ],
    },
    {
      reason: 'it has no named pipes',
      tests: [
        'B-9 B-10 an export of a directory has what is below it, by bytes, and can be unpacked elsewhere',
      ],
    },
  ]);
  sandboxSuite(() => Sandbox.create({ backend }), undefined, {
    lacks: {
      ports: 'its programs listen on none',
      workspace: 'it has no git',
    },
  });
});
