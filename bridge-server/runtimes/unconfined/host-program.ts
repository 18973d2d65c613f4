import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:os';
import { SandboxError } from '../../../protocol/errors.ts';
import type { MachineProcessListener } from '../../../protocol/machine-process.ts';
import type { ProcessHandle } from '../../../protocol/sandbox/processes.ts';
import { endMarked, endProcess } from './end-marked.ts';
import { ProgramOutput } from './program-output.ts';

interface HostProgramOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly hasInput: boolean;
  readonly listener: MachineProcessListener;
}

export interface HostProgram extends ProcessHandle {
  /** Resolves once it has ended, and all that it had started was ended. */
  readonly ended: Promise<void>;
}

/**
 * Starts a program of the host as this process's user, in a session of its own. When it has ended, what it has started is
 * ended too, and then the listener gets its `exit`: without processor time and memory, of which Node tells nothing.
 * @throws not-found where there is no such program; limit-exceeded, busy, invalid-argument as the host refuses it
 */
export async function startHostProgram(options: HostProgramOptions): Promise<HostProgram> {
  const { hasInput, listener } = options;
  const startedAtMs = performance.now();
  const mark = `COPPICE_RUN_${randomBytes(8).toString('hex')}`;
  const { child, exited } = await spawnProgram(options, mark);
  const { pid = 0, stdin, stdout, stderr } = child;
  let hasExited = false;
  let isKilled = false;
  const kill = (signal: NodeJS.Signals): void => {
    isKilled ||= signal === 'SIGKILL';
    // Afterwards the number may be another program's.
    if (!hasExited) endProcess(-pid, signal);
  };
  const output = new ProgramOutput({ stdout, stderr }, { listener, onRefused: () => kill('SIGKILL') });
  stdin.on('error', () => undefined); // Each `write` tells of its own.
  if (!hasInput) stdin.end();
  const ended = exited.then(async () => {
    hasExited = true;
    endProcess(-pid, 'SIGKILL');
    await endMarked(mark);
    stdin.destroy();
  });
  const finish = async (): Promise<void> => {
    const { code, signal } = await exited;
    const durationMs = performance.now() - startedAtMs;
    await ended;
    await output.finish();
    const exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
    const reason = signal === null ? 'exited' : isKilled && signal === 'SIGKILL' ? 'killed' : 'signalled';
    const usage = { durationMs, cpuMs: 0, maxRssBytes: 0 };
    await listener({ type: 'exit', exitCode, signal: signal ?? undefined, reason, ...usage });
  };
  finish().catch(() => undefined); // A listener that takes no more.
  return {
    pid,
    ended,
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stdin.write(bytes, (error) => (error ? reject(noInput(pid, error)) : resolve()));
      }),
    closeStdin: async () => void stdin.end(),
    resize: async () => undefined,
    kill: async (signal = 'SIGKILL') => kill(signal),
  };
}

interface ProgramExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

async function spawnProgram({ argv, cwd, environment }: HostProgramOptions, mark: string) {
  const [program = '', ...args] = argv;
  try {
    const env = { ...environment, [mark]: '1' };
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    const exited = new Promise<ProgramExit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    await once(child, 'spawn');
    return { child, exited };
  } catch (cause) {
    throw cannotStart(program, cause);
  }
}

function cannotStart(program: string, cause: unknown): SandboxError {
  const errno = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const codes = { ENOENT: 'not-found', E2BIG: 'limit-exceeded', EAGAIN: 'busy' } as const;
  const code = codes[String(errno) as keyof typeof codes] ?? 'invalid-argument';
  const why =
    code === 'not-found' ? 'this host has no such program' : cause instanceof Error ? cause.message : '';
  return new SandboxError(code, `Cannot start "${program}": ${why}`, { cause });
}

function noInput(pid: number, cause: Error): SandboxError {
  return new SandboxError('not-found', `Cannot write to process ${pid}: it does not read`, { cause });
}
