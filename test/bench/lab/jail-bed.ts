import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Root } from '../../../bridge-server/contract.ts';
import type { HostPrograms } from '../../../bridge-server/main/build-programs.ts';
import { openRootMaker } from '../../../bridge-server/roots/open-root-maker.ts';
import { startJail } from '../../../bridge-server/runtimes/jail/start-jail.ts';
import { HostImages } from '../../../bridge-server/sandboxes/host-images.ts';
import type { BuiltImage } from '../../../host/images/built-image.ts';
import { placeImage } from '../../../host/images/place-image.ts';
import { InitClient } from '../../../protocol/init/init-client.ts';
import { limits } from '../../../protocol/limits.ts';
import { defaultImage } from '../../../protocol/sandbox/backend.ts';
import type { ExecRequest } from '../../../protocol/sandbox/processes.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';

/** As `folderHost` gives a sandbox that asks for nothing else. */
const usual = {
  memoryMiB: limits.hostMemoryMiB.usual,
  pids: limits.hostPids.usual,
  cpuShares: limits.hostCpuShares.usual,
};

/** A jail with an agent that has said hello; gone when disposed. Its root is its maker's. */
export interface BenchJail extends AsyncDisposable {
  readonly client: InitClient;
}

/** Jails without a sandbox around them, on overlays of the image. Owns what they run on. */
export class JailBed implements AsyncDisposable {
  /** The image's files, which no jail can change. */
  readonly layer: string;
  /** A new root; the caller's to dispose. */
  readonly makeRoot: () => Promise<Root>;
  readonly #launcher: string;
  readonly #stack: AsyncDisposableStack;
  #jails = 0;

  private constructor(parts: {
    layer: string;
    makeRoot: () => Promise<Root>;
    launcher: string;
    stack: AsyncDisposableStack;
  }) {
    this.layer = parts.layer;
    this.makeRoot = parts.makeRoot;
    this.#launcher = parts.launcher;
    this.#stack = parts.stack;
  }

  /** Unpacks the image. @throws unsupported where overlays do not work */
  static async open(image: BuiltImage, { launcher, scanner, unpacker }: HostPrograms): Promise<JailBed> {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'coppice-bench-jails-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    await placeImage(image, { to: join(folder, 'images'), isDefault: true });
    const { manifest, source } = await new HostImages(join(folder, 'images')).load({ name: defaultImage });
    const maker = stack.use(
      await openRootMaker({ folder: join(folder, 'roots'), scanner, unpacker, prefer: 'overlay' }),
    );
    const read = (id: ObjectId) => source.read(id);
    const makeRoot = () => maker.make(manifest.tree, { base: manifest.tree, read });
    await using first = await makeRoot();
    const layer = first.mount.type === 'overlay' ? first.mount.lower[0] : undefined;
    if (layer === undefined) throw new TypeError('The roots of this host are no overlays');
    return new JailBed({ layer, makeRoot, launcher, stack: stack.move() });
  }

  /** Starts a jail as the bridge does, up to its agent's hello. */
  async startJail(mount: Root['mount']): Promise<BenchJail> {
    const cgroup = `coppice-bench-${process.pid}-${++this.#jails}`;
    const jail = await startJail(
      { root: mount, hostname: 'bench', limits: usual, cgroup },
      { launcher: this.#launcher },
    );
    const client = new InitClient(jail.channel);
    void jail.ended.then(({ message }) => client.close(message));
    try {
      await client.hello();
    } catch (error) {
      await jail[Symbol.asyncDispose]();
      throw error;
    }
    return { client, [Symbol.asyncDispose]: () => jail[Symbol.asyncDispose]() };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

/**
 * Runs a program through a jail's agent. Resolves when it has ended, to the moment of its first output.
 * @throws Error when it fails
 */
export async function runInJail(client: InitClient, request: ExecRequest): Promise<number> {
  const ended = Promise.withResolvers<number>();
  let firstMs = Number.NaN;
  await client.exec(request, (event) => {
    if (event.type === 'exit') ended.resolve(event.exitCode);
    else if (Number.isNaN(firstMs)) firstMs = performance.now();
  });
  const exitCode = await ended.promise;
  if (exitCode !== 0) throw new Error(`A program in the jail has failed (${exitCode})`);
  return firstMs;
}
