import { type RootKind, rootKinds } from '../bridge-server/roots/open-root-maker.ts';
import { type Sample, SuiteTests } from './conformance/sandbox/suite-tests.ts';
import { runsLong } from './runs-long.ts';

/** Bytes on disk by every kind of write, which each kind of root captures in its own way. */
const mappedWrites = {
  'mapped files': [
    'H-4 X-5: each snapshot has, byte for byte, what was written at random in every way that Linux has',
  ],
} as const;

/**
 * The sample that `npm test` runs of a sandbox's suites. `npm run test:long` sets COPPICE_LONG=1 and runs all of them.
 *
 * The suites of a sandbox are run whole for jails on overlay roots as root, which is what a bridge uses unless it is told
 * otherwise. Other machines, kinds of roots, users and levels of isolation go through the same code above their own part;
 * the sample has the tests in which their own part does the work.
 */
const samples = {
  /**
   * v86 in test/machine, many times slower than a jail: its file server, processes, terminals and ports. Not what the
   * code above them does with any machine: limits and texts of shells, refusals of a workspace, archives of the whole image.
   */
  v86: {
    ...{ 'forks of a sandbox': 'all', 'the list of processes': 'all', ports: 'all' },
    'a terminal of a sandbox': 'all',
    'a sandbox': [
      'S-2 a command answers with its output, exit code and what it changed',
      'S-10 standard input is given per run',
      'S-6 a command past its deadline is killed with all it started',
      'I-7 commands run as an ordinary user without capabilities, and as root on request',
      'B-3 H-5 breaking the system and going back makes it work again, with nothing of the newer state',
      'H-7 X-8 its machine id is new after going back, and in none of its snapshots',
      'B-3 git, python and a compiled C program work',
      'H-10 checkpoints of what runs are kept where the runtime has checkpoints, else unsupported by name',
      'files are read, written, listed, renamed and removed',
    ],
    'states of a sandbox': ['H-5 going back brings every file back, and none of the newer state is seen'],
    'processes of a sandbox': [
      'S-10 a background command answers at once, streams, and is killed with its children',
      'S-6 H-8 a command that takes too long or that nobody wants any more is killed, and says why',
      'S-10 standard input is streamed and ended',
      'S-10 a megabyte goes in and comes out unchanged',
      'S-10 many commands at once keep their output apart',
      '1 GB of output to a reader that does not read stays in the guest',
      'I-6 orphans are reaped: none is left as a zombie',
      'I-6 how a command ended is told: code, signal, cpu time and memory',
    ],
    'automatic capture': [
      'R-3 a command is one snapshot, with its paths and itself as the cause',
      'R-3 a command that changes nothing leaves no snapshot',
      'R-3 a command that goes on is captured meanwhile',
      'H-4 H-6 a snapshot holds what a running program has written so far',
      'H-4 leaving for another snapshot keeps what a running program has written',
    ],
    'shells of a sandbox': [
      'S-3 directory, variables, functions, aliases, options, mask and history go on',
      'S-3 H-5 a checkout brings back the shells of then',
    ],
    'archives of a sandbox': [
      'S-4 S-10 an archive is unpacked where it is asked to, in pieces of any size; one that is refused leaves nothing',
    ],
    'moves between sandboxes': 'all',
    'a workspace': ['I-3 is cloned whole to its place by the user, and a snapshot says so'],
  },
  /** Roots, captures and checkouts are subvolumes: what a checkout leaves and finds, moves, mapped files. */
  btrfs: {
    'a sandbox': [
      'B-3 H-5 breaking the system and going back makes it work again, with nothing of the newer state',
      'H-7 X-8 its machine id is new after going back, and in none of its snapshots',
      'the diff of two snapshots names what was made, changed and removed',
    ],
    'automatic capture': [
      'R-3 a command is one snapshot, with its paths and itself as the cause',
      'H-4 H-6 a snapshot holds what a running program has written so far',
      'H-4 leaving for another snapshot keeps what a running program has written',
    ],
    'moves between sandboxes': [
      'X-1 B-9 a snapshot of one sandbox is checked out in another, under the same id',
    ],
    'mapped files': [
      ...mappedWrites['mapped files'],
      'H-4 X-5: a database in WAL mode that is open goes back with its snapshots, and is whole',
    ],
  },
  /** A capture compares whole files and a checkout copies the root: what changed is found, and going back. */
  copy: {
    'a sandbox': [
      'B-3 H-5 breaking the system and going back makes it work again, with nothing of the newer state',
      'the diff of two snapshots names what was made, changed and removed',
    ],
    ...mappedWrites,
  },
  /** No namespaces: processes are started, signalled, frozen and ended by their id, and terminals come from the host. */
  landlock: {
    'a sandbox': [
      'S-2 a command answers with its output, exit code and what it changed',
      'B-3 git, python and a compiled C program work',
    ],
    'processes of a sandbox': [
      'S-10 standard input is streamed and ended',
      'I-6 how a command ended is told: code, signal, cpu time and memory',
    ],
    'automatic capture': ['H-4 H-6 a snapshot holds what a running program has written so far'],
    'a terminal of a sandbox': [
      'I-6 a resize reaches the program and its size',
      'R-3 what a line changed is captured with the line as its cause, which the screen does not show',
      'H-5 a checkout ends a terminal and says why',
    ],
  },
  /** A bridge of an ordinary user with a range of ids: who owns what, inside and on disk. */
  range: {
    'a sandbox': [
      'S-2 a command answers with its output, exit code and what it changed',
      'S-6 a command past its deadline is killed with all it started',
      'I-7 commands run as an ordinary user without capabilities, and as root on request',
      'B-3 H-5 breaking the system and going back makes it work again, with nothing of the newer state',
    ],
    'the list of processes': [
      'O-8 H-9 tells what runs, whose it is and what it takes, without a trace in the history',
    ],
    'automatic capture': [
      'R-3 a write and a removal are one snapshot each, however many steps they take',
      'H-4 leaving for another snapshot keeps what a running program has written',
    ],
    'a terminal of a sandbox': [
      'B-1 a login shell of the user is at its prompt in the home directory',
      'I-6 jobs: Ctrl-Z stops, fg continues, Ctrl-C interrupts, & runs behind',
    ],
    'archives of a sandbox': [
      'S-4 S-10 an archive is unpacked where it is asked to, in pieces of any size; one that is refused leaves nothing',
    ],
    'moves between sandboxes': [
      'X-1 B-9 a snapshot of one sandbox is checked out in another, under the same id',
    ],
    ...mappedWrites,
  },
  /** A bridge of an ordinary user with one id: everybody inside is root, and the tree keeps owners that the disk cannot. */
  one: {
    'a sandbox': [
      'O-8 it reports what it is, how it differs from its image, and how its last commands ended',
      'S-6 a command past its deadline is killed with all it started',
      'B-3 H-5 breaking the system and going back makes it work again, with nothing of the newer state',
    ],
    'processes of a sandbox': [
      'S-10 a background command answers at once, streams, and is killed with its children',
    ],
    'automatic capture': [
      'R-3 a command is one snapshot, with its paths and itself as the cause',
      'H-4 leaving for another snapshot keeps what a running program has written',
    ],
    'a terminal of a sandbox': ['I-6 closing a terminal hangs up what runs in it'],
    'archives of a sandbox': [
      'B-10 R-3 an export of a snapshot has what it had; one that is left half way lets go',
    ],
    ...mappedWrites,
  },
} as const satisfies Readonly<Record<string, Sample>>;

/** The kinds of roots by which what runs in a sandbox outlives its bridge, which uses overlays unless it is told otherwise. */
export const kindsThatOutlive: readonly RootKind[] = runsLong ? rootKinds : ['overlay'];

/** The tests of a sandbox's suites for a kind of roots, a level of isolation or a user; without a name, all of them. */
export function suiteTests(name?: keyof typeof samples): SuiteTests {
  return new SuiteTests(runsLong || name === undefined ? undefined : samples[name]);
}
