import { type ObjectId, parseObjectId } from '../content/object-id.ts';
import type { RefChange, SandboxStore } from '../objects/sandbox-store.ts';
import { type GraphNode, SnapshotGraph } from './snapshot-graph.ts';
import type { SnapshotId } from './snapshot-record.ts';

/**
 * The refs of a history (protocol/SPEC.md, SN-8): `head` and `tag/<name>` hold a snapshot's id;
 * `snapshot/<id>` holds `<ordinal> <parent> …`.
 */
export const headRef = 'head';
/**
 * Holds a record that is not in the history: the running machine when it was last stored, with its files. The
 * record's first parent is HEAD of that time.
 */
export const runningRef = 'running';
/** `moment/<number>` holds the id of a stored checkpoint (protocol/SPEC.md, MI-9). */
export const checkpointPrefix = 'moment/';
/** `output/<number>` holds the id of a batch of what terminals and commands showed, and the number of the run (SN-18). */
const outputPrefix = 'output/';
/** Holds what of older snapshots is kept (`KeepPolicy`), where that was set. */
export const keepRef = 'keep';
export const tagPrefix = 'tag/';
export const snapshotPrefix = 'snapshot/';

/** The node that a `snapshot/` ref describes; `undefined` if the ref is malformed. */
export function nodeFromRef([name, value]: [name: string, value: string]): GraphNode[] {
  const id = snapshotIdFrom(name.slice(snapshotPrefix.length));
  const [ordinal = '', ...parents] = value.split(' ');
  if (!id || !/^\d{1,15}$/.test(ordinal)) return [];
  return [
    { id, ordinal: Number(ordinal), parents: parents.flatMap((parent) => snapshotIdFrom(parent) ?? []) },
  ];
}

/** The ref changes that turn one graph into another. Compares all of both. */
export function graphChanges(before: SnapshotGraph, after: SnapshotGraph): RefChange[] {
  const gone = before.nodes().filter(({ id }) => !after.get(id));
  const changed = after.nodes().filter((node) => before.get(node.id) !== node);
  return [
    ...gone.map(({ id }) => ({ name: snapshotPrefix + id, value: undefined })),
    ...changed.map(refOfNode),
  ];
}

/** The ref that notes a snapshot's place in the graph. */
export function refOfNode({ id, ordinal, parents }: GraphNode): { name: string; value: string } {
  return { name: snapshotPrefix + id, value: [ordinal, ...parents].join(' ') };
}

/** A batch of output that is kept. */
export interface OutputRef {
  readonly number: number;
  readonly id: ObjectId;
  /** One life of the process that served the sandbox. */
  readonly run: number;
}

/** Those of a store that are well-formed, oldest first. */
export function outputRefs(store: Pick<SandboxStore, 'refs'>): OutputRef[] {
  return store
    .refs(outputPrefix)
    .flatMap(([name, value]) => {
      const [id, run = ''] = value.split(' ');
      const object = snapshotIdFrom(id);
      const number = name.slice(outputPrefix.length);
      const isNumbered = /^[1-9]\d{0,14}$/.test(number) && /^[1-9]\d{0,14}$/.test(run);
      return object && isNumbered ? [{ number: Number(number), id: object, run: Number(run) }] : [];
    })
    .sort((a, b) => a.number - b.number);
}

/** Notes a batch, or forgets it. */
export function outputChange(
  { number, id, run }: OutputRef,
  { isKept }: { readonly isKept: boolean },
): RefChange {
  return { name: outputPrefix + number, value: isKept ? `${id} ${run}` : undefined };
}

/** The refs of a history whose first snapshot is `id`, even if that has parents in another history. */
export function refsOfOne(id: SnapshotId): ReadonlyMap<string, string> {
  const { name, value } = refOfNode(new SnapshotGraph([]).placeOf(id, []));
  return new Map([
    [name, value],
    [headRef, id],
  ]);
}

/** `text` as an id, or `undefined` if it is not one. */
export function snapshotIdFrom(text: string | undefined): SnapshotId | undefined {
  try {
    return text === undefined ? undefined : (parseObjectId(text) as SnapshotId);
  } catch {
    return undefined;
  }
}
