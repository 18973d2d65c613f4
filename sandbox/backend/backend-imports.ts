import { tabArchitecture } from '../../protocol/architecture.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SnapshotImportOptions } from '../../protocol/sandbox/backend.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { SnapshotImport } from '../../protocol/sandbox/transfer.ts';
import { LocalImport, type TakeIn } from '../transfer/local-import.ts';
import { receiveSnapshot } from '../transfer/receive-snapshot.ts';
import { loadBase } from './load-base.ts';
import { newInfo } from './new-info.ts';
import { makeStore } from './new-stores.ts';
import { cutToMaxima } from './resources.ts';
import type { Runtimes } from './runtimes.ts';
import type { SandboxHost } from './sandbox-host.ts';

const isDigest = /^[0-9a-f]{64}$/;

/** Takes in snapshots of other backends, each as the beginning of a new sandbox. */
export class BackendImports {
  readonly #host: SandboxHost;
  readonly #runtimes: Runtimes;
  #count = 0;

  constructor(host: SandboxHost, runtimes: Runtimes) {
    this.#host = host;
    this.#runtimes = runtimes;
  }

  /** @throws unsupported, invalid-argument, busy, asset-unavailable, storage-full */
  async open(options: SnapshotImportOptions): Promise<SnapshotImport> {
    const { imageDigest, runtime } = options;
    // It may be the word of a backend that nobody trusts.
    if (imageDigest !== undefined && !isDigest.test(imageDigest)) {
      throw new SandboxError(
        'invalid-argument',
        'Cannot take in a snapshot: its image is named by no digest',
      );
    }
    const driver = this.#runtimes.forSnapshot({ runtime, isOfImage: imageDigest !== undefined });
    // Said before the image is looked for, which a host that cannot run it need not have.
    await driver.images?.assertRuns(options.architecture ?? tabArchitecture);
    if (this.#count >= limits.openImports) {
      throw new SandboxError('busy', `Cannot take in a snapshot: ${this.#count} are coming in already`, {
        details: { limit: limits.openImports },
      });
    }
    this.#count++;
    const takeIn: TakeIn<SandboxInfo> = async (pieces, onReady) => {
      const host = this.#host;
      try {
        const base = await loadBase(driver, { digest: imageDigest ?? '' }, () => {});
        const wanted = { ...options, ...cutToMaxima(options, driver.resources) };
        const info = newInfo(crypto.randomUUID(), wanted, { base, canExpire: host.canExpire === true });
        return await makeStore(host, info.id, async (store) => {
          onReady();
          await receiveSnapshot(pieces, store, { elsewhere: base.objects });
          await pieces.ended;
          await store.close();
          await host.records.add(info);
          return info;
        });
      } finally {
        this.#count--;
      }
    };
    return LocalImport.open(takeIn);
  }
}
