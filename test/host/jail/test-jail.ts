import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JailSpec, RootMount } from '../../../bridge-server/contract.ts';
import { buildHostProgram } from '../../../bridge-server/programs/build-host-program.ts';
import { OwnIdRoots } from '../../../bridge-server/runtimes/jail/own-id-roots.ts';
import type { RunningJail } from '../../../bridge-server/runtimes/jail/running-jail.ts';
import { startJail } from '../../../bridge-server/runtimes/jail/start-jail.ts';
import { CacheFolder, cachePath } from '../../../host/cache/cache-folder.ts';
import { createProgress } from '../../../host/progress.ts';
import { InitClient } from '../../../protocol/init/init-client.ts';
import type { InitProcess } from '../../../protocol/init/init-process.ts';
import type { MachineProcessExit } from '../../../protocol/machine-process.ts';
import type { ExecRequest } from '../../../protocol/sandbox/processes.ts';
import type { Isolation } from '../../../protocol/sandbox/sandbox-info.ts';

export interface TestJailOptions {
  readonly limits?: Partial<JailSpec['limits']>;
  readonly root?: RootMount;
  readonly nested?: boolean;
  /** With `landlock`, `lower` is copied. */
  readonly isolation?: Isolation;
  readonly outlives?: JailSpec['outlives'];
  readonly network?: JailSpec['network'];
  /** Where its layers are made: they stay when the jail is left and not disposed of. That of temporary files by default. */
  readonly place?: string;
}

export interface JailRun {
  readonly output: string;
  readonly exit: MachineProcessExit;
}

/** The launcher, built once. */
export const launcher: Promise<string> = buildHostProgram('launcher', {
  cache: new CacheFolder(cachePath()),
  progress: createProgress(),
});

let jails = 0;

/** A jail on an overlay over `lower`, or on a copy of it, with a client that has said hello. Gone with its layers when disposed of. */
export class TestJail implements AsyncDisposable {
  readonly jail: RunningJail;
  readonly client: InitClient;
  readonly spec: JailSpec;
  readonly #owned: AsyncDisposableStack;

  private constructor(jail: RunningJail, parts: { spec: JailSpec; owned: AsyncDisposableStack }) {
    this.jail = jail;
    this.client = new InitClient(jail.channel);
    this.spec = parts.spec;
    this.#owned = parts.owned;
    void jail.ended.then(({ message }) => this.client.close(message));
  }

  static async open(lower: string, options: TestJailOptions = {}): Promise<TestJail> {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(options.place ?? tmpdir(), 'coppice-jail-'));
    stack.defer(() => rm(folder, { recursive: true }));
    const make = options.isolation === 'landlock' ? copyRoot : overlayRoot;
    const spec: JailSpec = {
      root: options.root ?? (await make(lower, { folder, stack })),
      hostname: 'box',
      nested: options.nested,
      outlives: options.outlives,
      network: options.network,
      limits: { memoryMiB: 256, pids: 128, cpuShares: 1024, ...options.limits },
      cgroup: `coppice-test-${process.pid}-${++jails}`,
    };
    const jail = stack.use((await startJail(spec, { launcher: await launcher })) as RunningJail);
    const opened = new TestJail(jail, { spec, owned: stack.move() });
    await opened.client.hello();
    return opened;
  }

  /** Starts a process; `done` resolves when it has ended. */
  async start(
    request: ExecRequest | string,
  ): Promise<{ process: InitProcess; output: () => string; done: Promise<JailRun> }> {
    let output = '';
    const ended = Promise.withResolvers<JailRun>();
    const process = await this.client.exec(
      typeof request === 'string' ? { command: request } : request,
      (event) => {
        if (event.type === 'exit') ended.resolve({ output, exit: event });
        else output += Buffer.from(event.bytes).toString();
      },
    );
    return { process, output: () => output, done: ended.promise };
  }

  /** What a process says, on both of its outputs, and its end. */
  async run(request: ExecRequest | string): Promise<JailRun> {
    const { done } = await this.start(request);
    return done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned[Symbol.asyncDispose]();
  }
}

interface RootPlace {
  readonly folder: string;
  readonly stack: AsyncDisposableStack;
}

async function overlayRoot(lower: string, { folder }: RootPlace): Promise<RootMount> {
  const [upper, work] = [join(folder, 'upper'), join(folder, 'work')];
  for (const path of [upper, work]) await mkdir(path);
  return { type: 'overlay', lower: [lower], upper, work, userxattr: false };
}

async function copyRoot(lower: string, { folder, stack }: RootPlace): Promise<RootMount> {
  const path = join(folder, 'root');
  await promisify(execFile)('cp', ['--archive', '--reflink=auto', lower, path]);
  const { id, release } = await new OwnIdRoots(await launcher).furnish(path);
  stack.defer(release);
  return { type: 'bind', path, ownId: id };
}
