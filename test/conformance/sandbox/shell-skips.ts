import type { NamedSkip } from './named-skips.ts';

/** What a shell does not promise, wherever it runs. */
export const shellSkips: readonly NamedSkip[] = [
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
];

/** Groups of the suite that it lacks as a whole. */
export const shellLacks = {
  ports: 'its programs listen on none',
  workspace: 'its git clones over https and http, and this suite repositories inside',
} as const;
