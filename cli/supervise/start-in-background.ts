import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { hostFolder } from '../../bridge-server/main/host-folder.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { SharedOptions } from '../cli.ts';
import type { CliContext } from '../context.ts';
import { assertNoBridge } from './open-supervisor.ts';

/** What a daemon says once it answers. */
export interface StartedDaemon {
  readonly pid: number;
  readonly socket: string;
}

/**
 * Starts this program again as a daemon of its own session, and resolves when that answers. What it has to say later
 * is in `daemon.log` of the folder. One that has not answered when the starter is interrupted is ended.
 * @throws machine-failed where it ends before, with where it said why; invalid-argument where the options name a bridge; aborted
 */
export async function startInBackground(
  options: SharedOptions,
  { environment, signal }: CliContext,
): Promise<StartedDaemon> {
  assertNoBridge(options);
  const folder = options.root ?? hostFolder(environment);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'daemon.log');
  const log = openSync(path, 'a', 0o600);
  const [program = ''] = process.argv.slice(1);
  const args = [...process.execArgv, program, ...daemonArguments({ ...options, root: folder })];
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', log] });
  closeSync(log);
  const gone = once(child, 'close').then(() => undefined);
  const { stdout } = child;
  if (!stdout) throw new TypeError('A pipe was asked for');
  const said = once(createInterface({ input: stdout }), 'line').then(([line]) => String(line));
  const end = () => void child.kill();
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  const line = await Promise.race([said, gone]);
  signal.removeEventListener('abort', end);
  if (line === undefined) {
    if (signal.aborted) throw new SandboxError('aborted', 'The daemon was not started');
    throw new SandboxError('machine-failed', `The daemon has ended: ${path} says why`);
  }
  stdout.destroy();
  child.unref();
  const { pid, socket } = Object(JSON.parse(line)) as StartedDaemon;
  return { pid, socket };
}

/** The command line, after the program, of one in the foreground with the same options. */
export function daemonArguments(options: SharedOptions): readonly string[] {
  const { root, sandbox, backend, isolation, networkAllow = [] } = options;
  const given = Object.entries({ root, sandbox, backend, isolation });
  return [
    'daemon',
    '--json',
    ...given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ...networkAllow.flatMap((range) => ['--network-allow', range]),
  ];
}
