import type { SnapshotId } from '../tree/history/snapshot-record.ts';
import { SandboxError } from './errors.ts';
import type { HistoryView } from './sandbox/history.ts';

/** The shortest start of an id that names a snapshot. */
const prefixLength = 4;

/** Of the snapshots that have a label which was taken for a reference: the newest of them are named. */
const shownLabelled = 5;

const isId = /^[0-9a-f]{64}$/;

/** Whether `text` is a complete id, which needs no lookup. */
export function isSnapshotId(text: string): text is SnapshotId {
  return isId.test(text);
}

/**
 * The snapshot that a reference names: `HEAD`, a tag, an id, or the start of one id, of at least four digits; with `~N` behind
 * it, the one that many first parents before (`HEAD~2`).
 * @throws not-found; conflict when several snapshots begin so
 */
export function resolveSnapshot(view: HistoryView, reference: string): SnapshotId {
  const { snapshots, head } = view;
  if (reference === 'HEAD') return head;
  const tagged = snapshots.find(({ tags }) => tags.includes(reference));
  if (tagged) return tagged.id;
  const [, base, back] = /^(.+)~(\d{0,6})$/.exec(reference) ?? [];
  if (base !== undefined) return before(view, resolveSnapshot(view, base), Number(back || 1));
  const isPrefix = reference.length >= prefixLength;
  const [match, ...more] = isPrefix ? snapshots.filter(({ id }) => id.startsWith(reference)) : [];
  const shown = reference.slice(0, 128);
  const details = { reference: shown };
  if (!match) throw notFound(view, shown);
  if (more.length > 0) {
    const why = `${more.length + 1} snapshots begin with it`;
    throw new SandboxError('conflict', `Cannot find snapshot "${shown}": ${why}`, { details });
  }
  return match.id;
}

/** Of a label it says which snapshots have it: several may, so none of them is what it means. */
function notFound({ snapshots }: HistoryView, reference: string): SandboxError {
  const message = `Cannot find snapshot "${reference}": there is no snapshot with that id, prefix or tag`;
  const labelled = snapshots
    .filter(({ cause }) => cause.type === 'manual' && cause.label === reference && reference !== '')
    .map(({ id }) => id)
    .slice(-shownLabelled)
    .toReversed();
  if (labelled.length === 0) return new SandboxError('not-found', message, { details: { reference } });
  const ids = labelled.map((id) => id.slice(0, 12)).join(', ');
  return new SandboxError('not-found', `${message}, but it is the message of ${ids}: give that id`, {
    details: { reference, labelled },
  });
}

function before({ snapshots }: HistoryView, from: SnapshotId, count: number): SnapshotId {
  const byId = new Map(snapshots.map((snapshot) => [snapshot.id, snapshot]));
  let at = from;
  for (let left = count; left > 0; left--) {
    const parent = byId.get(at)?.parents[0];
    if (parent === undefined) {
      throw new SandboxError(
        'not-found',
        `Cannot go ${count} snapshots back: the history has ${count - left} there`,
      );
    }
    at = parent;
  }
  return at;
}
