import { tmpdir } from 'node:os';
import { buildPrograms } from '../../../bridge-server/main/build-programs.ts';
import { useSpawner } from '../../../bridge-server/programs/start-program.ts';
import { CacheFolder, cachePath } from '../../../host/cache/cache-folder.ts';
import { createProgress } from '../../../host/progress.ts';
import { buildImage } from '../../../images/build-image.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import { connect } from '../../../sdk/connect.ts';
import { startBridgeProcess } from '../../fixtures/bridge-process.ts';
import { openBtrfsVolume } from '../../fixtures/btrfs-volume.ts';
import { compileProgram, type ProgramName } from './compile-program.ts';
import { JailBed } from './jail-bed.ts';

const image = 'debian';

/** The kinds of roots that are measured. */
export type LabRoots = 'overlay' | 'btrfs';

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
  readonly #backends = new Map<LabRoots, Promise<SandboxBackend>>();

  constructor({ runs }: BridgeLabOptions) {
    this.runs = runs;
  }

  /** Jails in this process; the lab's to dispose. */
  bed(): Promise<JailBed> {
    this.#bed ??= this.#openBed();
    return this.#bed;
  }

  /**
   * A bridge in a process of its own, by WebSocket, whose roots are overlays or, in a loop file, on
   * btrfs; the lab's to dispose. @throws Error that says what this host lacks
   */
  backend(roots: LabRoots = 'overlay'): Promise<SandboxBackend> {
    const backend = this.#backends.get(roots) ?? this.#connect(roots);
    this.#backends.set(roots, backend);
    return backend;
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
    const programs = await buildPrograms(options);
    this.#stack.use(await useSpawner(programs.spawner));
    return this.#progress.step('Unpack the image', async () =>
      this.#stack.use(await JailBed.open(built, programs)),
    );
  }

  async #connect(snapshots: LabRoots): Promise<SandboxBackend> {
    const place = snapshots === 'btrfs' ? this.#stack.use(await openBtrfsVolume()).folder : tmpdir();
    const bridge = await this.#progress.step(`Start a bridge on ${snapshots}`, () =>
      startBridgeProcess({ place, snapshots }),
    );
    this.#stack.use(bridge);
    return this.#stack.use(await connect(bridge));
  }
}
