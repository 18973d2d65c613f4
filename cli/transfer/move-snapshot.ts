import { SandboxError } from '../../protocol/errors.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { CliContext } from '../context.ts';
import { shortId } from '../history/snapshot-value.ts';
import { plainText } from '../output/plain-text.ts';
import { findSandbox } from '../place/find-sandbox.ts';
import type { Place } from '../place/place.ts';
import { withProgress } from './file-ends.ts';

/** Where a snapshot has come to. */
export interface MovedSnapshot {
  readonly place: string;
  readonly sandbox: string;
  readonly name: string;
  readonly snapshot: SnapshotId;
}

export interface MoveOptions {
  /** The name of a new sandbox. */
  readonly as?: string;
  /** A sandbox to whose history it is added instead. */
  readonly into?: string;
  readonly quiet?: boolean;
}

/**
 * Copies a snapshot of a sandbox, or a new one of now, to another place. Nothing of it is there where it fails.
 * @throws as `Sandbox.copyTo` and `copyInto`; aborted
 */
export async function moveSnapshot(
  sandbox: Sandbox,
  parts: {
    readonly to: Place;
    readonly snapshot: SnapshotId | undefined;
    /** Of a new snapshot, where something has changed since the last one. */
    readonly label: string;
    readonly options: MoveOptions;
    readonly context: CliContext;
  },
): Promise<MovedSnapshot> {
  const { to, options, context, label } = parts;
  const { as: name, into, quiet } = options;
  if (name !== undefined && into !== undefined)
    throw new SandboxError('invalid-argument', 'Give either --as or --into, not both');
  const { signal } = context;
  return withProgress(`copy to ${to.name}`, { context, quiet }, async (report) => {
    const onProgress = (bytes: number) => report.bytes(bytes, 0);
    const snapshot = parts.snapshot ?? (await sandbox.createSnapshot({ label, ifChanged: true })).id;
    const asked = { signal, onProgress, snapshot };
    const { backend } = to;
    if (into === undefined) {
      await using copy = await sandbox.copyTo(backend, { ...asked, ...(name === undefined ? {} : { name }) });
      return { place: to.name, sandbox: copy.id, name: copy.info.name, snapshot: await copy.history.head() };
    }
    const { id } = await findSandbox(backend, into);
    await using other = await Sandbox.open(id, { backend });
    const taken = await sandbox.copyInto(other, asked);
    return { place: to.name, sandbox: other.id, name: other.info.name, snapshot: taken.id };
  });
}

/** For people. */
export function copyText({ place, sandbox, name, snapshot }: MovedSnapshot): string {
  return `${shortId(snapshot)} is in ${plainText(name)} (${sandbox}) of ${place}`;
}
