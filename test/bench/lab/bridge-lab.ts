import { buildLauncher } from '../../../bridge-server/runtimes/jail/build-launcher.ts';
import { buildScanner } from '../../../bridge-server/snapshots/build-scanner.ts';
import { CacheFolder, cachePath } from '../../../images/cache/cache-folder.ts';
import { buildImage } from '../../../images/output/build-image.ts';
import { createProgress } from '../../../images/progress.ts';
import type { SandboxBackend } from '../../../protocol/sandbox.ts';
import { connect } from '../../../sdk/connect.ts';
import { startBridgeProcess } from '../../fixtures/bridge-process.ts';
import { compileProgram, type ProgramName } from './compile-program.ts';
import { JailBed } from './jail-bed.ts';

const image = 'debian';

export interface BridgeLabOptions {
  /** How often each side of a ratio is measured; what takes milliseconds, a multiple of it. */
  readonly runs: number;
}

/** What benchmarks of the bridge measure with. Things are made when they are first asked for, and gone when disposed. */
export class BridgeLab implements AsyncDisposable {
  readonly runs: number;
  readonly #progress = createProgress();
  readonly #cache = new CacheFolder(cachePath());
  readonly #stack = new AsyncDisposableStack();
  #bed: Promise<JailBed> | undefined;
  #backend: Promise<SandboxBackend> | undefined;

  constructor({ runs }: BridgeLabOptions) {
    this.runs = runs;
  }

  /** Jails in this process; the lab's to dispose. */
  bed(): Promise<JailBed> {
    this.#bed ??= this.#openBed();
    return this.#bed;
  }

  /** A bridge in a process of its own, by WebSocket; the lab's to dispose. */
  backend(): Promise<SandboxBackend> {
    this.#backend ??= this.#connect();
    return this.#backend;
  }

  /** A static program of test/bench/programs for this host, which also runs in jails. Resolves to its path. */
  program(name: ProgramName): Promise<string> {
    return compileProgram(name, { cache: this.#cache, progress: this.#progress });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }

  async #openBed(): Promise<JailBed> {
    const options = { cache: this.#cache, progress: this.#progress };
    const built = await buildImage(image, { ...options, golden: true });
    const launcher = await buildLauncher(options);
    const scanner = await buildScanner(options);
    return this.#progress.step('Unpack the image', async () =>
      this.#stack.use(await JailBed.open(built, { launcher, scanner })),
    );
  }

  async #connect(): Promise<SandboxBackend> {
    const bridge = await this.#progress.step('Start a bridge', () => startBridgeProcess());
    this.#stack.use(bridge);
    return this.#stack.use(await connect(bridge));
  }
}
