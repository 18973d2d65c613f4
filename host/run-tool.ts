import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import { SandboxError } from '../protocol/errors.ts';

const keptErrorCharacters = 4_000;
const maxOutputBytes = 64 * 1024 * 1024;

export interface ToolOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** Called with each line of standard output. */
  readonly onOutputLine?: (line: string) => void;
  /** Called with each line that the tool writes to file descriptor 3 (apt's `APT::Status-Fd`). */
  readonly onStatusLine?: (line: string) => void;
  /** Exit codes that are a result and not a failure; 0 always is. */
  readonly acceptedExitCodes?: readonly number[];
}

/**
 * Runs a program to its end and resolves to its standard output.
 * @throws unsupported when the program is not installed, internal with the end of its standard
 * error when it fails, aborted
 */
export async function runTool(argv: readonly string[], options: ToolOptions = {}): Promise<string> {
  const [program = '', ...args] = argv;
  const { cwd, env, signal } = options;
  const child = spawn(program, args, { cwd, env, signal, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const [stdout, stderr, status] = outputs(child);
  const output: Buffer[] = [];
  let outputBytes = 0;
  let errors = '';
  stdout.on('data', (data: Buffer) => {
    output.push(data);
    outputBytes += data.length;
    if (outputBytes > maxOutputBytes) child.kill();
  });
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-keptErrorCharacters);
  });
  if (options.onOutputLine) lines(stdout).on('line', options.onOutputLine);
  if (options.onStatusLine) lines(status).on('line', options.onStatusLine);
  else status.resume();
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) => reject(startFailure(program, cause)));
    child.once('close', resolve);
  });
  const text = Buffer.concat(output).toString('utf8');
  if (exitCode === 0 || options.acceptedExitCodes?.includes(exitCode ?? -1)) return text;
  const command = argv.slice(0, 3).join(' ');
  const why = errors.trim() || text.slice(-keptErrorCharacters).trim();
  throw new SandboxError('internal', `\`${command} …\` failed (${exitCode ?? 'killed'}): ${why}`, {
    details: { argv, exitCode },
  });
}

function startFailure(program: string, cause: NodeJS.ErrnoException): SandboxError {
  if (cause.name === 'AbortError') return new SandboxError('aborted', `${program} was stopped`, { cause });
  if (cause.code !== 'ENOENT') return SandboxError.from(cause);
  return new SandboxError('unsupported', `This machine has no ${program}`, {
    details: { feature: program },
    cause,
  });
}

/** Standard output, standard error and file descriptor 3: all are pipes, which the types cannot tell. */
function outputs(child: ChildProcess): [Readable, Readable, Readable] {
  return [child.stdio[1], child.stdio[2], child.stdio[3]] as [Readable, Readable, Readable];
}

function lines(input: Readable): Interface {
  return createInterface({ input });
}
