import { SandboxError } from '../../protocol/errors.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { Jail, OutlivingJail, RootMaker } from '../contract.ts';
import type { RootAndJail } from './root-and-jail.ts';

/** A jail that an earlier process has left and this one goes on with. */
export interface OrphanedJail {
  readonly record: Pick<OutlivingJail, 'sandbox' | 'root' | 'trees'>;
  readonly jail: Jail;
}

/** A machine for whoever opens its sandbox. */
export interface TakenMachine extends RootAndJail {
  /** Refuses a tree that its root cannot be compared with. @throws machine-failed */
  assertHas(tree: ObjectId): Promise<void>;
  end(): Promise<void>;
}

/**
 * The machines of an earlier process by their sandbox, each until it is taken or ends. Owns those that
 * nobody has taken.
 */
export class OrphanedMachines implements AsyncDisposable {
  /** Set when the next process goes on with what runs: whoever lets go of a machine then leaves it. */
  isLeaving = false;
  readonly #machines = new Map<string, TakenMachine>();
  readonly #isUnsaved: (sandbox: string) => boolean;

  private constructor(isUnsaved: (sandbox: string) => boolean) {
    this.#isUnsaved = isUnsaved;
  }

  /** Finds the root of each jail; those of which there is none end, and `onLost` is told. */
  static async adopt(
    jails: readonly OrphanedJail[],
    {
      roots,
      isUnsaved,
      onLost,
    }: {
      roots: Pick<RootMaker, 'adopt'>;
      /** Whether the root of a sandbox is to stay when its jail ends (`UnsavedRoots`). */
      isUnsaved: (sandbox: string) => boolean;
      onLost: (sandbox: string, why: unknown) => void;
    },
  ): Promise<OrphanedMachines> {
    const machines = new OrphanedMachines(isUnsaved);
    for (const { record, jail } of jails) {
      try {
        machines.#add(record, { jail, root: await roots.adopt(record.root, record.sandbox) });
      } catch (error) {
        onLost(record.sandbox, error);
        await jail[Symbol.asyncDispose]();
      }
    }
    return machines;
  }

  /** The sandboxes that run. */
  get ids(): readonly string[] {
    return [...this.#machines.keys()];
  }

  /** The machine of a sandbox, if there is one, to the first who asks, who owns it from then on. */
  take(sandbox: string): TakenMachine | undefined {
    const machine = this.#machines.get(sandbox);
    this.#machines.delete(sandbox);
    return machine;
  }

  /** Ends that of a sandbox, if there is one. */
  async end(sandbox: string): Promise<void> {
    await this.take(sandbox)?.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of this.ids) {
      const machine = this.take(id);
      if (this.isLeaving) await machine?.root.leave();
      if (this.isLeaving) machine?.jail.leave();
      else await machine?.end();
    }
  }

  #add({ sandbox, trees }: OrphanedJail['record'], { jail, root }: RootAndJail): void {
    const end = async () => {
      await jail[Symbol.asyncDispose]();
      if (this.#isUnsaved(sandbox)) await root.leave();
      else await root[Symbol.asyncDispose]();
    };
    const assertHas = async (tree: ObjectId) => {
      if (trees.includes(tree)) return;
      throw new SandboxError('machine-failed', 'What runs has other files than the sandbox is at');
    };
    const machine: TakenMachine = { jail, root, assertHas, end };
    this.#machines.set(sandbox, machine);
    void jail.ended.then(() => {
      if (this.#machines.get(sandbox) !== machine) return;
      this.end(sandbox).catch((error) =>
        console.warn(`The jail of sandbox ${sandbox} was not let go of:`, error),
      );
    });
  }
}
