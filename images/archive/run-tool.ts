import { spawn } from 'node:child_process';
import { SandboxError } from '../../protocol/errors.ts';

const keptErrorCharacters = 4_000;
const maxOutputBytes = 64 * 1024 * 1024;

export interface ToolOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  /** Called with each line that the tool writes to file descriptor 3 (apt's status) or, when `lines` is `'stdout'`, to standard output. */
  readonly onLine?: (line: string) => void;
  readonly lines?: 'status' | 'stdout';
  /** Exit codes that are a result and not a failure; 0 always is. */
  readonly acceptedExitCodes?: readonly number[];
}

/**
 * Runs a program to its end and resolves to its standard output.
 * @throws unsupported when the program is not installed, internal with the end of its standard
 * error when it fails
 */
export async function runTool(argv: readonly string[], options: ToolOptions = {}): Promise<string> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env,
    signal: options.signal,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const output: Buffer[] = [];
  let outputBytes = 0;
  let errors = '';
  child.stdout?.on('data', (data: Buffer) => {
    outputBytes += data.length;
    if (outputBytes > maxOutputBytes) child.kill();
    else output.push(data);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-keptErrorCharacters);
  });
  const [lineStream, otherStream] =
    options.lines === 'stdout' ? [child.stdout, child.stdio[3]] : [child.stdio[3], undefined];
  if (options.onLine && lineStream) splitLines(lineStream as NodeJS.ReadableStream, options.onLine);
  else (child.stdio[3] as NodeJS.ReadableStream | null)?.resume();
  (otherStream as NodeJS.ReadableStream | null | undefined)?.resume();
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

function startFailure(program: string, cause: Error): SandboxError {
  if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
    return new SandboxError('unsupported', `This machine has no ${program}`, {
      details: { feature: program },
      cause,
    });
  }
  return SandboxError.from(cause);
}

function splitLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}
