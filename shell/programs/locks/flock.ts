import type { Ino } from '../../../tree/live/file-tree.ts';
import { OpenTreeFile } from '../../files/open-tree-file.ts';
import { errorMessages, ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { runCommand } from '../command-line/run-command.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { nameInMessage, quoteName } from '../messages/quote-name.ts';
import { isDirectoryOperand, pathOf } from '../paths/operands.ts';
import type { Program } from '../program.ts';
import { FileLocks } from './file-locks.ts';

/** Exit codes as sysexits(3) has them. */
const status = { usage: 64, data: 65, noInput: 66, unavailable: 69 };

const options = {
  shared: '-s, --shared  get a shared lock',
  exclusive: '-x, -e, --exclusive  get an exclusive lock (default)',
  unlock: '-u, --unlock  remove a lock',
  nonblock: '-n, --nb, --nonblock  fail rather than wait',
  timeout: '-w, --timeout, --wait=SECS  wait for a limited amount of time',
  conflict: '-E, --conflict-exit-code=NUMBER  exit code after conflict or timeout',
  close: '-o, --close  (ignored: the command never has the lock file open)',
  noFork: '-F, --no-fork  (ignored)',
  verbose: '--verbose  (ignored)',
};

type Key = keyof typeof options;

export const flock: Program = defineProgram({
  usage: '[OPTION]... FILE COMMAND [ARG]... | FILE -c COMMAND | DESCRIPTOR',
  summary: 'Run a command while a file is locked for others that lock it, or lock an open file.',
  usageStatus: status.usage,
  permutes: false,
  options,
  async run(invocation) {
    const { operands } = invocation;
    const [name, ...argv] = operands;
    if (name === undefined) throw new UsageError('not enough arguments');
    const conflict = exitCodeOf(invocation);
    if (argv.length === 0) return (await lockDescriptor(invocation, name)) ? 0 : conflict;
    const { call, options: given } = invocation;
    const command = commandOf(argv);
    const ino = inodeOf(invocation, name);
    const locks = FileLocks.of(call.files.tree);
    const owner = {};
    if (!given.has('unlock') && !(await locks.lock(ino, { owner, ...requestOf(invocation) })))
      return conflict;
    try {
      const [program = ''] = command;
      const isMissing = !program.includes('/') && call.find !== undefined && call.find(program) === undefined;
      const code = await runCommand(invocation, command, { failing: 'failed to execute ', isBare: true });
      return isMissing ? status.unavailable : code;
    } finally {
      locks.unlock(ino, owner);
    }
  },
});

/** `-c` and a line for the shell, or the words of a command. */
function commandOf(argv: readonly ShellText[]): readonly ShellText[] {
  const [first, line, ...more] = argv;
  if (first !== '-c' && first !== '--command') return argv;
  if (line === undefined || more.length > 0)
    throw new ProgramError(`${first} requires exactly one command argument`, { status: status.usage });
  return ['sh', '-c', line];
}

/** The file is made where there is none. */
function inodeOf({ call }: Invocation<Key>, name: ShellText): Ino {
  const path = pathOf(call, name);
  try {
    if (!isDirectoryOperand(call, name))
      call.files.open(path, { read: true, create: true }, { ...call, umask: call.umask }).release();
    return call.files.stat(path).ino;
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    throw new ProgramError(`cannot open lock file ${nameInMessage(name)}: ${error.message}`, {
      status: status.noInput,
    });
  }
}

/** Locks, or unlocks, what a descriptor of the caller's refers to, until the last descriptor of it is closed. */
async function lockDescriptor(invocation: Invocation<Key>, text: ShellText): Promise<boolean> {
  const { call, options: given } = invocation;
  if (!/^\d+$/.test(text))
    throw new ProgramError(`bad file descriptor: ${quoteName(text)}`, { status: status.usage });
  const standard = [call.stdin, call.stdout, call.stderr];
  const file = standard[Number(text)] ?? call.descriptor?.(Number(text));
  if (!(file instanceof OpenTreeFile))
    throw new ProgramError(`${text}: ${errorMessages.EBADF}`, { status: status.data });
  const locks = FileLocks.of(call.files.tree);
  if (given.has('unlock')) {
    locks.unlock(file.ino, file);
    return true;
  }
  const { holder, ...request } = requestOf(invocation);
  return locks.lock(file.ino, {
    ...request,
    owner: file,
    holder: { ...holder, isAlive: () => isOpen(file) },
  });
}

/** Neither of them reads or writes anything, but both fail once nobody holds the file. */
async function isOpen(file: OpenTreeFile): Promise<boolean> {
  const { position } = file;
  const attempts = await Promise.allSettled([file.read(0), file.write(new Uint8Array(0))]);
  file.position = position;
  return attempts.some((attempt) => attempt.status === 'fulfilled');
}

function requestOf({
  call,
  options: given,
}: Invocation<Key>): Omit<Parameters<FileLocks['lock']>[1], 'owner'> {
  const timeout = given.value('timeout');
  if (timeout !== undefined && !/^(\d+\.?\d*|\.\d+)$/.test(timeout))
    throw new ProgramError(`invalid timeout value: ${quoteName(timeout)}`, { status: status.usage });
  const waitMs = timeout === undefined ? Number.POSITIVE_INFINITY : Number(timeout) * 1000;
  return {
    holder: {
      isShared: given.last('shared', 'exclusive') === 'shared',
      isAlive: async () => true,
    },
    signal: call.signal,
    timeoutMs: given.has('nonblock') ? 0 : waitMs,
  };
}

function exitCodeOf({ options: given }: Invocation<Key>): number {
  const text = given.value('conflict') ?? '1';
  if (!/^\d+$/.test(text) || Number(text) > 255)
    throw new ProgramError(`exit code out of range (expected 0 to 255)`, { status: status.usage });
  return Number(text);
}
