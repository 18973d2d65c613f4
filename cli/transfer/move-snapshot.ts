import { expectBytes } from '../../protocol/copy/expect-bytes.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { quoteWords } from '../../protocol/quote-words.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { CliContext } from '../context.ts';
import { shortId } from '../history/snapshot-value.ts';
import { type NetworkOptions, networkSettings } from '../options/network-options.ts';
import { plainText } from '../output/plain-text.ts';
import { assertNamesFree } from '../place/assert-names-free.ts';
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

export interface MoveOptions extends NetworkOptions {
  /** The name of a new sandbox. */
  readonly as?: string;
  /** A sandbox to whose history it is added instead. */
  readonly into?: string;
  readonly quiet?: boolean;
}

/**
 * Copies a snapshot of a sandbox, or a new one of now, to another place. Nothing of it is there where it fails.
 * @throws already-exists where its name is taken there; as `Sandbox.copyTo` and `copyInto`; aborted
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
  const settings = networkSettings(options);
  if (settings.network !== undefined && into !== undefined) {
    const message = `Cannot give --network or --allow together with --into ${into}: that sandbox has the network that it was made with`;
    throw new SandboxError('invalid-argument', message);
  }
  if (into === undefined) await assertNamesFree([name ?? sandbox.info.name], to);
  const { signal } = context;
  return withProgress(`copy to ${to.name}`, { context, quiet }, async (report) => {
    const snapshot = parts.snapshot ?? (await sandbox.createSnapshot({ label, ifChanged: true })).id;
    let expectedBytes = 0;
    const onProgress = (bytes: number) => {
      // What was sent is more than the files where those are small, or go along with what led to them.
      const isKnown = bytes <= expectedBytes;
      report.bytes(bytes, isKnown ? expectedBytes : 0, isKnown ? 'at most' : undefined);
    };
    const asked = { signal, onProgress, snapshot };
    const expect = async (receiver?: Sandbox) => {
      if (context.stderr.isTTY && !quiet)
        expectedBytes = await expectBytes(sandbox.connection, { snapshot, into: receiver?.connection });
    };
    const { backend } = to;
    if (into === undefined) {
      await expect();
      await using copy = await sandbox.copyTo(backend, {
        ...asked,
        settings,
        ...(name === undefined ? {} : { name }),
      });
      return { place: to.name, sandbox: copy.id, name: copy.info.name, snapshot: await copy.history.head() };
    }
    const { id } = await findSandbox(backend, into);
    await using other = await Sandbox.open(id, { backend });
    await expect(other);
    const taken = await sandbox.copyInto(other, asked);
    return { place: to.name, sandbox: other.id, name: other.info.name, snapshot: taken.id };
  });
}

/** What a copy has lost of the network of its sandbox, for people: a snapshot has none. */
export function lostNetwork(
  { info }: Pick<Sandbox, 'info'>,
  { into, ...asked }: Pick<MoveOptions, 'into' | keyof NetworkOptions>,
): string | undefined {
  if (info.network !== 'full' || into !== undefined || networkSettings(asked).network !== undefined)
    return undefined;
  const flags = info.allow?.map((host) => `--allow ${quoteWords([host])}`).join(' ') ?? '--network public';
  return `the copy has no network: ${flags} gives it the one of ${plainText(info.name)}`;
}

/** For people. */
export function copyText({ place, sandbox, name, snapshot }: MovedSnapshot): string {
  return `${shortId(snapshot)} is in ${plainText(name)} (${sandbox}) of ${place}`;
}
