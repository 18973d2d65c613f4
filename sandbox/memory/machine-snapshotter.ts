import type { ObjectId } from '../../tree/content/object-id.ts';
import type { History } from '../../tree/history/history.ts';
import { decodeMemoryHead } from '../../tree/history/memory-head.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { ContentCache } from '../../tree/live/content-cache.ts';
import type { SealedState, Snapshotter } from '../capture/snapshotter.ts';
import type { LiveMachine, MachineCheckpoint, ShownTerminal } from '../machine/sandbox-machine.ts';
import type { ObjectSource } from '../object-source.ts';
import { type CheckpointToStore, type NotedCheckpoint, nameOf } from './checkpoint-to-store.ts';
import { type HandedFiles, handOverTree } from './handed-machine.ts';
import { loadRunningTree } from './load-running-tree.ts';
import { machineCoverage, runningRecord } from './running-record.ts';
import { sealCheckpoint } from './seal-checkpoint.ts';
import { type IsStored, type SealedMachine, sealCheckpoints } from './seal-checkpoints.ts';

export interface MachineSnapshotterParts {
  readonly history: History;
  readonly source: ObjectSource;
  readonly content: ContentCache;
  /** Of the files of the same sandbox. */
  readonly files: Snapshotter;
}

/** A machine to be stored as it runs. */
export interface RunningParts {
  readonly live: LiveMachine;
  readonly terminals: () => readonly ShownTerminal[];
}

/** A machine to go on from, with the step that puts the live tree there. */
export interface PreparedMachine {
  readonly memory: ObjectId;
  readonly restore: () => void;
}

/** Seals a running machine with its files, and finds both again. Calls must not overlap. */
export class MachineSnapshotter {
  readonly #parts: MachineSnapshotterParts;

  constructor(parts: MachineSnapshotterParts) {
    this.#parts = parts;
  }

  /** For a snapshot with memory. @throws unsupported */
  async seal(running: RunningParts): Promise<SealedState> {
    const { sealed, objects, memory } = await this.#sealRunning(running);
    return {
      ...{ sealed, objects },
      memory: { id: memory.id, coverage: machineCoverage },
      settle: () => memory.settle(),
    };
  }

  /** For a snapshot of files only, beside which the machine is noted as it runs, as far as that can be stored. */
  async sealBeside(running: RunningParts): Promise<SealedState> {
    try {
      const { sealed, objects, memory } = await this.#sealRunning(running);
      return {
        ...{ sealed, objects },
        running: (parent) => runningRecord({ tree: sealed.id, memory: memory.id, parent }),
        settle: () => memory.settle(),
      };
    } catch {
      // The files are worth storing without.
      return this.#parts.files.sealFiles();
    }
  }

  /**
   * Stores the machine as it runs, in no history: what the next start goes on from; and checkpoints of it, in the same
   * commit. Answers how many bytes that took, and what was stored of the checkpoints.
   * @throws unsupported, missing-object, storage-full
   */
  async store(
    running: RunningParts,
    checkpoints: readonly CheckpointToStore[] = [],
  ): Promise<{ bytes: number; noted: readonly NotedCheckpoint[] }> {
    const { history, source, content } = this.#parts;
    if (history.head === undefined) return { bytes: 0, noted: [] };
    const { objects, noted, settle, stored } = await sealCheckpoints(checkpoints, {
      live: running.live,
      stored: (ids) => history.stored(ids),
      seal: (machine, parts) => this.#sealMachine(machine, parts),
    });
    const { sealed, memory, ...last } = await this.#sealRunning(running, stored);
    const record = runningRecord({ tree: sealed.id, memory: memory.id, parent: history.head });
    const own = [...objects, ...last.objects].filter((object) => !source.isInImage(object.id));
    const refs = noted.map(({ id, object }) => ({ name: nameOf(id), value: object }));
    await history.setRunning(record, { objects: own, checkpoints: refs });
    settle(content);
    sealed.settle(content);
    memory.settle();
    return { bytes: own.reduce((sum, { bytes }) => sum + bytes.length, 0), noted };
  }

  /**
   * The tree of a checkpoint that was taken just now, to be handed over with it, to who has that of `before`.
   * @throws limit-exceeded, missing-object, corrupt-object
   */
  handOver(checkpoint: MachineCheckpoint, before?: HandedFiles): HandedFiles {
    const { source, files } = this.#parts;
    return handOverTree(checkpoint, { previous: files.sealed, base: files.base, source, before });
  }

  /**
   * Finds the tree of a snapshot as its machine knew it; the answer puts the live tree there.
   * @throws missing-object, corrupt-object
   */
  prepareSnapshot(id: SnapshotId): PreparedMachine | undefined {
    const { tree, memory } = this.#parts.history.get(id);
    return memory === undefined ? undefined : this.#prepare({ tree, memory });
  }

  /** The same for a machine that is in no history, all of whose memory is verified. @throws missing-object, corrupt-object */
  prepare(machine: { readonly tree: ObjectId; readonly memory: ObjectId }): PreparedMachine {
    const { source } = this.#parts;
    const prepared = this.#prepare(machine);
    const { bundles } = decodeMemoryHead(source.verified(machine.memory));
    for (const bundle of bundles) source.verified(bundle);
    return prepared;
  }

  #prepare(machine: { readonly tree: ObjectId; readonly memory: ObjectId }): PreparedMachine {
    const { source, files } = this.#parts;
    const { sealed, base } = loadRunningTree(machine, source);
    return { memory: machine.memory, restore: () => files.restoreTree(sealed, base) };
  }

  /** The machine as it is now, with its files. @throws unsupported */
  #sealRunning(
    { live, terminals }: RunningParts,
    stored: IsStored = (ids) => this.#parts.history.stored(ids),
  ): Promise<SealedMachine> {
    return this.#sealMachine(live.take(), { live, terminals: terminals(), stored });
  }

  async #sealMachine(
    checkpoint: MachineCheckpoint,
    parts: { live: LiveMachine; terminals: readonly ShownTerminal[]; stored: IsStored },
  ): Promise<SealedMachine> {
    const { files } = this.#parts;
    const { sealed, objects } = await files.sealFiles(checkpoint.tree);
    const memory = await sealCheckpoint(checkpoint, { ...parts, sealed, base: files.base });
    return { sealed, objects: [...objects, ...memory.objects], memory };
  }
}
