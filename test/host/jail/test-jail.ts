import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JailSpec, RootMount } from '../../../bridge-server/contract.ts';
import { buildLauncher } from '../../../bridge-server/runtimes/jail/build-launcher.ts';
import type { RunningJail } from '../../../bridge-server/runtimes/jail/running-jail.ts';
import { startJail } from '../../../bridge-server/runtimes/jail/start-jail.ts';
import { CacheFolder, cachePath } from '../../../images/cache/cache-folder.ts';
import { createProgress } from '../../../images/progress.ts';
import { InitClient } from '../../../protocol/init/init-client.ts';
import type { InitExitEvent, InitProcess } from '../../../protocol/init/init-process.ts';
import type { ExecRequest } from '../../../protocol/sandbox.ts';

export interface TestJailOptions {
  readonly limits?: Partial<JailSpec['limits']>;
  readonly root?: RootMount;
  readonly nested?: boolean;
}

export interface JailRun {
  readonly output: string;
  readonly exit: InitExitEvent;
}

/** The launcher, built once. */
export const launcher: Promise<string> = buildLauncher({
  cache: new CacheFolder(cachePath()),
  progress: createProgress(),
});

let jails = 0;

/** A jail on an overlay over `lower`, with a client that has said hello. Gone with its layers when disposed of. */
export class TestJail implements AsyncDisposable {
  readonly jail: RunningJail;
  readonly client: InitClient;
  readonly spec: JailSpec;
  readonly #folder: string;

  private constructor(jail: RunningJail, parts: { spec: JailSpec; folder: string }) {
    this.jail = jail;
    this.client = new InitClient(jail.channel);
    this.spec = parts.spec;
    this.#folder = parts.folder;
    void jail.ended.then(({ message }) => this.client.close(message));
  }

  static async open(lower: string, options: TestJailOptions = {}): Promise<TestJail> {
    const folder = await mkdtemp(join(tmpdir(), 'coppice-jail-'));
    const [upper, work] = [join(folder, 'upper'), join(folder, 'work')];
    for (const path of [upper, work]) await mkdir(path);
    const spec: JailSpec = {
      root: options.root ?? { type: 'overlay', lower: [lower], upper, work, userxattr: false },
      hostname: 'box',
      nested: options.nested,
      limits: { memoryMiB: 256, pids: 128, cpuShares: 1024, ...options.limits },
      cgroup: `coppice-test-${process.pid}-${++jails}`,
    };
    try {
      const jail = (await startJail(spec, { launcher: await launcher })) as RunningJail;
      const opened = new TestJail(jail, { spec, folder });
      await opened.client.hello();
      return opened;
    } catch (error) {
      await rm(folder, { recursive: true });
      throw error;
    }
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
    await this.jail[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true });
  }
}
