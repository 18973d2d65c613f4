import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openServedPlace } from '../../cli/place/open-served-place.ts';
import { inRepository } from '../../host/repository.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { givePrograms, range, uid, userArguments } from './as-user.ts';
import { makeTestFolder } from './open-test-host.ts';
import { borrowLayer, leaveLayer } from './shared-layer.ts';

/** Of what a command prints. */
const maxBuffer = 64 * 1024 * 1024;

const commandModule = inRepository('cli/main.ts');

/** The command line on a folder with an image, as root or as an ordinary user. Disposing of it removes the folder. */
export interface HostCli extends AsyncDisposable {
  readonly folder: string;
  start(args: readonly string[], options?: { readonly inTerminal?: string }): CliProcess;
  /** The standard output of a command that succeeds. @throws what the command says */
  run(...args: string[]): Promise<string>;
  /** `run` of `ctl`, as JSON. */
  ctl(...args: string[]): Promise<unknown>;
}

interface CliProcess extends AsyncDisposable {
  readonly pid: number;
  say(text: string | Uint8Array): void;
  /** Resolves once its output has `text`, `times` times. @throws where it ends before */
  says(text: string, times?: number): Promise<void>;
  end(signal: NodeJS.Signals): Promise<number>;
  /** Its exit code, 128 and more for a signal. */
  readonly ended: Promise<number>;
  readonly output: () => string;
}

export interface HostCliOptions {
  /** Of sandboxes that are made, through the socket of a daemon; by default one, `default`. */
  readonly names?: readonly string[];
  /** What runs on it may be killed. */
  readonly isKilled?: boolean;
  /** Whether an ordinary user has a range of ids. */
  readonly hasRange?: boolean;
  /** Whether an ordinary user compiles the programs of jails itself. */
  readonly compiles?: boolean;
  /** Another command line than that of this checkout: a module that Node runs. */
  readonly module?: string;
  /** Variables beside those that every command has. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** One in a temporary folder. */
export async function openHostCli(
  user: 'root' | 'ordinary',
  {
    names = ['default'],
    isKilled = false,
    hasRange = false,
    compiles = false,
    module = commandModule,
    variables,
  }: HostCliOptions = {},
): Promise<HostCli> {
  await using stack = new AsyncDisposableStack();
  const ofRoot = isKilled ? 'borrowed' : 'shared';
  const layer = user === 'root' ? ofRoot : 'own';
  const { options: host } = stack.use(await makeTestFolder(undefined, { layer }));
  const { folder } = host;
  if (user === 'ordinary') stack.use(await giveFolder(folder, { hasRange, compiles }));
  const subids = hasRange ? join(folder, 'range') : '';
  if (hasRange) await writeFile(subids, range);
  const environment = {
    PATH: process.env.PATH,
    HOME: user === 'ordinary' ? folder : process.env.HOME,
    TMPDIR: '/tmp',
    TERM: 'xterm',
    COPPICE_ROOT: folder,
    ...variables,
  };
  const argv = (args: readonly string[]): [string, ...string[]] =>
    user === 'root'
      ? [process.execPath, module, ...args]
      : ['unshare', ...userArguments(subids, [process.execPath, module, ...args])];
  const start: HostCli['start'] = (args, { inTerminal } = {}) => {
    const [program, ...rest] = argv(args);
    const line = [program, ...rest].map(quoted).join(' ');
    const whole =
      inTerminal === undefined
        ? [program, ...rest]
        : ['script', '-qec', inTerminal.replace('COMMAND', line), '/dev/null'];
    return startProcess(whole, environment);
  };
  const run: HostCli['run'] = async (...args) => {
    const [program, ...rest] = argv(args);
    return (await promisify(execFile)(program, rest, { env: environment, maxBuffer })).stdout;
  };
  if (names.length > 0) {
    await using daemon = start(['daemon']);
    await daemon.says('answers at');
    await makeSandboxes(folder, names);
    await daemon.end('SIGTERM');
  }
  const owned = stack.move();
  return {
    folder,
    start,
    run,
    ctl: async (...args) => JSON.parse((await run('ctl', ...args)).trim().split('\n').at(-1) ?? ''),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Gives what `makeTestFolder` has made to the ordinary user; when it is disposed of, what was unpacked is left to others. */
async function giveFolder(
  folder: string,
  { hasRange, compiles }: Required<Pick<HostCliOptions, 'hasRange' | 'compiles'>>,
): Promise<AsyncDisposable> {
  for (const path of [folder, join(folder, 'images')]) await chown(path, uid, uid);
  const cache = join(folder, '.cache');
  if (!compiles) await givePrograms(join(cache, 'coppice'));
  if (!compiles) await promisify(execFile)('chown', ['-R', `${uid}:${uid}`, cache]);
  const of = hasRange ? 'overlay-ids' : 'overlay-user';
  await borrowLayer(folder, { of, owner: uid });
  return { [Symbol.asyncDispose]: () => leaveLayer(folder, { of }) };
}

async function makeSandboxes(folder: string, names: readonly string[]): Promise<void> {
  await using place = await openServedPlace(folder, {
    signal: new AbortController().signal,
    environment: {},
  });
  if (!place) throw new Error('The daemon does not answer');
  for (const name of names) {
    const sandbox = await Sandbox.create({ backend: place.backend, name });
    await sandbox.close();
  }
}

function startProcess(argv: readonly string[], environment: Record<string, string | undefined>): CliProcess {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env: environment });
  const closed = once(child, 'close');
  let output = '';
  const looks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const look of looks) look();
    });
  }
  child.stdin.on('error', () => {});
  const ended = closed.then(
    ([code, signal]) => (code as number | null) ?? 128 + signalNumber(signal as NodeJS.Signals),
  );
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return {
    pid: child.pid ?? 0,
    say: (text) => void child.stdin.write(text),
    says: async (text, times = 1) => {
      const found = new Promise<void>((resolve) => {
        const look = () => {
          if (output.split(text).length > times) resolve();
        };
        looks.add(look);
        look();
      });
      const gone = ended.then((code) => {
        throw new Error(`It ended with ${code} before it said ${text}: ${output}`);
      });
      await Promise.race([found, gone]);
    },
    end,
    ended,
    output: () => output,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) await end('SIGKILL');
    },
  };
}

function signalNumber(signal: NodeJS.Signals): number {
  return signal === 'SIGKILL' ? 9 : 15;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
