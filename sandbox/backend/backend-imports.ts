import { tabArchitecture } from '../../protocol/architecture.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { defaultImage, type SnapshotImportOptions } from '../../protocol/sandbox/backend.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { SnapshotImport } from '../../protocol/sandbox/transfer.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import { LocalImport, type TakeIn } from '../transfer/local-import.ts';
import { receiveSnapshot } from '../transfer/receive-snapshot.ts';
import { loadArchiveBase } from './archive-base.ts';
import { layArchive } from './lay-archive.ts';
import { type LoadedBase, loadBase, loadImageBase } from './load-base.ts';
import { newInfo } from './new-info.ts';
import { makeStore } from './new-stores.ts';
import { cutToMaxima } from './resources.ts';
import type { RuntimeDriver } from './runtime-driver.ts';
import type { Runtimes } from './runtimes.ts';
import type { SandboxHost } from './sandbox-host.ts';

const isDigest = /^[0-9a-f]{64}$/;
const what = 'Cannot take in a snapshot';

/** Takes in snapshots of other backends, and archives, each as the beginning of a new sandbox. */
export class BackendImports {
  readonly #host: SandboxHost;
  readonly #runtimes: Runtimes;
  readonly #onMade: (id: string, tree: SealedTree | undefined, base: LoadedBase) => void;
  #count = 0;

  /** `onMade` is told of what is in memory when a sandbox is made. */
  constructor(
    host: SandboxHost,
    {
      runtimes,
      onMade,
    }: {
      readonly runtimes: Runtimes;
      readonly onMade: (id: string, tree: SealedTree | undefined, base: LoadedBase) => void;
    },
  ) {
    this.#host = host;
    this.#runtimes = runtimes;
    this.#onMade = onMade;
  }

  /** @throws unsupported, invalid-argument, busy, asset-unavailable, storage-full */
  async open(options: SnapshotImportOptions): Promise<SnapshotImport> {
    const driver = this.#driverFor(options);
    // Said before the image is looked for, which a host that cannot run it need not have.
    if (!options.archive) await driver.images?.assertRuns(options.architecture ?? tabArchitecture);
    if (this.#count >= limits.openImports) {
      throw new SandboxError('busy', `${what}: ${this.#count} are coming in already`, {
        details: { limit: limits.openImports },
      });
    }
    this.#count++;
    const takeIn: TakeIn<SandboxInfo> = (pieces, onReady) =>
      this.#takeIn(pieces, { driver, options, onReady }).finally(() => {
        this.#count--;
      });
    return LocalImport.open(takeIn);
  }

  async #takeIn(
    pieces: Parameters<TakeIn<SandboxInfo>>[0],
    {
      driver,
      options,
      onReady,
    }: {
      readonly driver: RuntimeDriver;
      readonly options: SnapshotImportOptions;
      readonly onReady: () => void;
    },
  ): Promise<SandboxInfo> {
    const host = this.#host;
    const { archive, imageDigest = '', imageFiles } = options;
    const onto = archive && (await loadArchiveBase(driver, archive));
    const base = onto?.base ?? (await this.#loadBase(driver, { imageDigest, imageFiles }));
    const wanted = { ...options, ...cutToMaxima(options, driver.resources) };
    const info = newInfo(crypto.randomUUID(), wanted, { base, canExpire: host.canExpire === true });
    const { objects: elsewhere } = base;
    const receive = async (store: SandboxStore): Promise<SealedTree | undefined> => {
      const { diskMiB } = info;
      const first = await onto?.store(store, { diskMiB });
      onReady();
      if (archive && first)
        return layArchive(pieces, store, { first, elsewhere, diskMiB, label: archive.label });
      await receiveSnapshot(pieces, store, { elsewhere });
      return undefined;
    };
    return makeStore(host, info.id, async (store) => {
      const tree = await receive(store);
      await pieces.ended;
      await store.close();
      await host.records.add(info);
      this.#onMade(info.id, tree, base);
      return info;
    });
  }

  /** The image of a digest, or another build of it, or where all objects come any. @throws as `loadBase` */
  async #loadBase(
    driver: RuntimeDriver,
    {
      imageDigest,
      imageFiles,
    }: { imageDigest: string; imageFiles: SnapshotImportOptions['imageFiles'] | undefined },
  ): Promise<LoadedBase> {
    try {
      return await loadBase(driver, { digest: imageDigest }, () => {});
    } catch (error) {
      if (!imageFiles || !driver.images || SandboxError.from(error).code !== 'asset-unavailable') throw error;
      const { name, tree, come = false } = imageFiles;
      const load = (image: string) =>
        loadImageBase(driver, { name: image }, () => {}).catch(SandboxError.from);
      const other = await load(name);
      const isOther = !(other instanceof SandboxError);
      if (isOther && (come || other.objects.tree === tree)) return other;
      const usual = come ? await load(defaultImage) : undefined;
      if (usual !== undefined && !(usual instanceof SandboxError)) return usual;
      const why = isOther ? 'here with other files' : `not here: ${other.message}`;
      const message = `${what}: it needs the image "${name}", which is ${why}`;
      throw new SandboxError('asset-unavailable', message, { details: { image: name }, cause: error });
    }
  }

  /** @throws unsupported, invalid-argument */
  #driverFor({ archive, imageDigest, runtime }: SnapshotImportOptions): RuntimeDriver {
    // It may be the word of a backend that nobody trusts.
    if (imageDigest !== undefined && (archive || !isDigest.test(imageDigest))) {
      const why = archive ? 'an archive builds on no other image' : 'its image is named by no digest';
      throw new SandboxError('invalid-argument', `${what}: ${why}`);
    }
    if (!archive) return this.#runtimes.forSnapshot({ runtime, isOfImage: imageDigest !== undefined });
    const driver = this.#runtimes.get(runtime, 'Cannot take in an archive');
    if (driver.images || archive.image === undefined) return driver;
    const message = `Cannot take in an archive with image "${archive.image}": "${driver.runtime}" begins without one`;
    throw new SandboxError('unsupported', message, { details: { feature: 'image' } });
  }
}
