import { parseObjectId } from '../objects/object-id.ts';
import type { RefChange } from '../objects/sandbox-store.ts';
import { type GraphNode, SnapshotGraph } from './snapshot-graph.ts';
import type { SnapshotId } from './snapshot-record.ts';

/**
 * The refs of a history (protocol/SPEC.md, SN-8): `head` and `tag/<name>` hold a snapshot's id;
 * `snapshot/<id>` holds `<ordinal> <parent> …`.
 */
export const headRef = 'head';
/** A record that is in no history: the machine as it ran last, with its files. Its first parent was HEAD then. */
export const runningRef = 'running';
/** `moment/<number>` holds the id of a moment of the recording (protocol/SPEC.md, MI-9). */
export const momentPrefix = 'moment/';
export const tagPrefix = 'tag/';
export const snapshotPrefix = 'snapshot/';

/** The node that a `snapshot/` ref describes; none when it has another shape. */
export function nodeFromRef([name, value]: [name: string, value: string]): GraphNode[] {
  const id = snapshotIdFrom(name.slice(snapshotPrefix.length));
  const [ordinal = '', ...parents] = value.split(' ');
  if (!id || !/^\d{1,15}$/.test(ordinal)) return [];
  return [
    { id, ordinal: Number(ordinal), parents: parents.flatMap((parent) => snapshotIdFrom(parent) ?? []) },
  ];
}

/** What turns the refs of one graph into those of another. */
export function graphChanges(before: SnapshotGraph, after: SnapshotGraph): RefChange[] {
  const gone = before.nodes().filter(({ id }) => !after.get(id));
  const changed = after.nodes().filter((node) => before.get(node.id) !== node);
  return [
    ...gone.map(({ id }) => ({ name: snapshotPrefix + id, value: undefined })),
    ...changed.map(({ id, ordinal, parents }) => ({
      name: snapshotPrefix + id,
      value: [ordinal, ...parents].join(' '),
    })),
  ];
}

/** The refs of a history that begins with `id`, whatever snapshots came before it elsewhere. */
export function refsOfOne(id: SnapshotId): ReadonlyMap<string, string> {
  const none = new SnapshotGraph([]);
  const changes = [...graphChanges(none, none.with(id, [])), { name: headRef, value: id }];
  return new Map(changes.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
}

/** `text` as an id, or `undefined` when it is none. */
export function snapshotIdFrom(text: string | undefined): SnapshotId | undefined {
  try {
    return text === undefined ? undefined : (parseObjectId(text) as SnapshotId);
  } catch {
    return undefined;
  }
}
