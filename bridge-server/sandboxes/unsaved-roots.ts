import { SandboxError } from '../../protocol/errors.ts';
import type { UnsavedFiles } from '../../protocol/sandbox/sandbox-info.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { Root, RootMaker, UnsavedRoot, UnsavedRootRecords } from '../contract.ts';
import type { UnsavedFilesKeeper } from './host-machine-parts.ts';

export interface UnsavedRootsOptions {
  readonly records: UnsavedRootRecords;
  readonly roots: Pick<RootMaker, 'name' | 'adopt'>;
  /** Told when files of a sandbox cannot be saved, once until they can. */
  readonly onUnsaved: (sandbox: string, why: SandboxError) => void;
}

/**
 * The roots of this host that hold what no snapshot has: each is written down before its machine ends, so that the
 * next start of the sandbox goes on with it. A crash finds the note, or everything saved.
 */
export class UnsavedRoots {
  readonly #records: UnsavedRootRecords;
  readonly #roots: UnsavedRootsOptions['roots'];
  readonly #onUnsaved: UnsavedRootsOptions['onUnsaved'];

  constructor({ records, roots, onUnsaved }: UnsavedRootsOptions) {
    this.#records = records;
    this.#roots = roots;
    this.#onUnsaved = onUnsaved;
  }

  whyOf(sandbox: string): UnsavedFiles | undefined {
    return this.#records.get(sandbox)?.why;
  }

  /**
   * For a machine of `sandbox`, whose HEAD has the tree `head`; `isRunning` where it goes on with a jail that has its root.
   * A root of another HEAD was given up by a checkout.
   * @throws conflict when this bridge makes roots of another kind than the one that has the files
   */
  async open(
    sandbox: string,
    { head, isRunning }: { readonly head: ObjectId; readonly isRunning: boolean },
  ): Promise<UnsavedFilesKeeper> {
    let noted = this.#records.get(sandbox);
    if (noted && !noted.trees.includes(head)) {
      await this.discard(sandbox);
      noted = undefined;
    }
    let found = noted && !isRunning ? await this.#adopt(noted) : undefined;
    let why = found || isRunning ? noted && errorOf(noted.why) : undefined;
    return {
      why,
      take: () => {
        const root = found;
        found = undefined;
        return root;
      },
      note: (root, { trees, why: cause }) => {
        const { code, message } = cause;
        const sinceMs = this.#records.get(sandbox)?.why.sinceMs ?? Date.now();
        this.#records.put({ sandbox, root: root.name, trees, why: { sinceMs, code, message } });
        if (why === undefined) this.#onUnsaved(sandbox, cause);
        why = cause;
      },
      clear: () => {
        this.#records.remove(sandbox);
        why = undefined;
      },
    };
  }

  /** Deletes what is noted of a sandbox that no machine runs. */
  async discard(sandbox: string): Promise<void> {
    const noted = this.#records.get(sandbox);
    if (noted === undefined) return;
    this.#records.remove(sandbox);
    const root = await this.#roots.adopt(noted.root).catch(() => undefined);
    await root?.[Symbol.asyncDispose]();
  }

  async #adopt(noted: UnsavedRoot): Promise<Root | undefined> {
    const { sandbox, root } = noted;
    if (root.kind !== this.#roots.name) {
      const message =
        `Cannot start sandbox "${sandbox}": files of it that are not saved are in a root of kind ${root.kind}, and ` +
        `this bridge makes roots of kind ${this.#roots.name}. Start the bridge with --snapshots ${root.kind}`;
      throw new SandboxError('conflict', message, { details: { sandbox, kind: root.kind } });
    }
    try {
      return await this.#roots.adopt(root);
    } catch (error) {
      console.warn(`Unsaved files of sandbox ${sandbox} are gone:`, error);
      this.#records.remove(sandbox);
      return undefined;
    }
  }
}

function errorOf({ code, message }: UnsavedFiles): SandboxError {
  return new SandboxError(code, message);
}
