import { SandboxError } from '../../protocol/errors.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import type { ImageObjects } from '../image-objects.ts';
import { ObjectSource } from '../object-source.ts';
import type { HandedFiles, HandedMachine } from './handed-machine.ts';
import { makeRunningTree, type RunningTree } from './load-running-tree.ts';

/** A machine that was handed over, with all that its files need. */
export interface ReceivedMachine extends HandedMachine {
  readonly objects: readonly StoredObject[];
  /** Its tree, where that is at hand. */
  readonly running?: RunningTree | undefined;
}

/** The files that came ahead of a machine that will be handed over: what it does not have to bring. */
export class PrecopiedFiles {
  #last: (Pick<HandedFiles, 'tree' | 'delta'> & { readonly running: RunningTree }) | undefined;
  #objects: readonly StoredObject[] = [];

  /** @throws corrupt-object where the two are not whole */
  async put(
    machine: HandedMachine,
    { image, known }: { readonly image: ImageObjects; readonly known: SealedTree },
  ): Promise<void> {
    const { tree, delta, objects, running } = this.complete(machine);
    this.#objects = objects;
    if (running) return;
    const store = new MemoryStore();
    await store.put(objects);
    const source = new ObjectSource(store, image);
    this.#last = { tree, delta, running: makeRunningTree({ tree, delta: () => delta }, { source, known }) };
  }

  /** A machine with what came before it. @throws corrupt-object where something is missing */
  complete(machine: HandedMachine): ReceivedMachine {
    const known = new Map(this.#objects.map(({ id, bytes }) => [id, bytes]));
    const objects = machine.objects.map(({ id, bytes = known.get(id) }): StoredObject => {
      if (bytes) return { id, bytes };
      const message = 'Cannot take the machine over: some of its files are missing';
      throw new SandboxError('corrupt-object', message, { details: { id } });
    });
    const isSame = this.#last?.tree === machine.tree && this.#last.delta === machine.delta;
    return { ...machine, objects, running: isSame ? this.#last?.running : undefined };
  }
}
