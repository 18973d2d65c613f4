import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { RecallProbe, RootFurnisher, RootMaker, RootName } from '../contract.ts';
import { ownPrivileges } from '../privileges.ts';
import { BtrfsRoots } from './btrfs/btrfs-roots.ts';
import { probeBtrfs } from './btrfs/probe-btrfs.ts';
import { CopyRoots } from './copy/copy-roots.ts';
import { OverlayRoots } from './overlay/overlay-roots.ts';
import { probeOverlay } from './overlay/probe-overlay.ts';
import { type FoundQuotas, probeQuotas } from './probe-quotas.ts';
import type { MakerOptions } from './root-source.ts';
import { abilitiesOf, ownIdAbilities } from './supported-metadata.ts';

/** Kinds of roots, the best first. */
export const rootKinds = ['btrfs', 'overlay', 'copy'] as const;
export type RootKind = (typeof rootKinds)[number];

export interface RootMakerOptions {
  /** Where layers and roots live: this process's alone. Layers of the image stay there between processes. */
  readonly folder: string;
  /** The program that finds what changed in a root (`buildHostProgram`). */
  readonly scanner: string;
  /** The program that makes the files of a tree (`buildHostProgram`). */
  readonly unpacker: string;
  /** What to use without asking the host; by default what `COPPICE_BACKEND` says, or `COPPICE_SNAPSHOTS`, its older name. */
  readonly prefer?: RootKind | undefined;
  /** The launcher's program (`buildHostProgram`), which subvolumes of btrfs are made with. */
  readonly launcher?: string | undefined;
  /** Set where jails have no namespaces, and so no mounts: their roots are copies. */
  readonly furnisher?: RootFurnisher | undefined;
  /** File content that one tree may have. Default 64 GiB. */
  readonly maxBytes?: number | undefined;
  /** Roots of an earlier process that stay, for `RootMaker.adopt`. */
  readonly spared?: readonly RootName[] | undefined;
  /** Asked about each kind before it is tried. By default all are tried. */
  readonly recall?: RecallProbe | undefined;
  /** Told what of the kernel holds roots to their disks, if anything does. */
  readonly onQuotas?: ((found: FoundQuotas) => void) | undefined;
  /** Told which kind was chosen, and why. */
  readonly onChoice?: ((kind: RootKind, why: string) => void) | undefined;
}

/**
 * Makes roots in the best way that this host has, found out by trying.
 * @throws unsupported when the kind that was asked for does not work here, invalid-argument
 */
export async function openRootMaker(options: RootMakerOptions): Promise<RootMaker> {
  const folder = resolve(options.folder);
  // Files in here have the owners and setuid bits that a sandbox gave them; no user of the host gets to them.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { scanner, unpacker, launcher, furnisher, spared = [] } = options;
  const { maxBytes = limits.diskMiB.max * 1_048_576 } = options;
  const { recall = (_name, probe) => probe() } = options;
  const abilities = furnisher ? ownIdAbilities : abilitiesOf(ownPrivileges());
  const host: RootHost = { abilities, scanner, unpacker, maxBytes, launcher, furnisher, spared };
  const { kind, why } = await chooseRootKind(folder, {
    host,
    recall,
    asked: askedKind(options.prefer),
  });
  options.onChoice?.(kind, why);
  const found = await probeQuotas(folder, { launcher, isBtrfs: kind === 'btrfs' });
  options.onQuotas?.(found);
  const quotas = found.type === 'found' ? found.quotas : undefined;
  return kinds[kind].open(folder, { ...host, quotas });
}

export function isRootKind(text: string): text is RootKind {
  return (rootKinds as readonly string[]).includes(text);
}

interface RootHost extends MakerOptions {
  readonly launcher: string | undefined;
}

/** How roots of a kind are made in a folder, why they cannot be, and what tells that they can. */
const kinds: Readonly<
  Record<
    RootKind,
    {
      readonly open: (folder: string, host: RootHost) => Promise<RootMaker>;
      readonly probe: (folder: string, host: RootHost) => Promise<string | undefined>;
      readonly success: string;
    }
  >
> = {
  btrfs: {
    open: (folder, { launcher = '', ...host }) => BtrfsRoots.open(folder, { launcher, ...host }),
    probe: async (folder, { launcher, abilities }) =>
      launcher === undefined
        ? 'nobody said where the launcher is'
        : probeBtrfs(folder, { launcher, abilities }),
    success: 'a subvolume was snapshotted, mounted and deleted',
  },
  overlay: {
    open: (folder, host) => OverlayRoots.open(folder, host),
    probe: (folder, { abilities }) => probeOverlay(folder, abilities),
    success: 'an overlay was mounted and left a whiteout',
  },
  copy: {
    open: (folder, host) => CopyRoots.open(folder, host),
    probe: async () => undefined,
    success: 'files can be copied everywhere',
  },
};

type Asked = { readonly kind: RootKind; readonly by: string } | undefined;

function askedKind(prefer: RootKind | undefined): Asked {
  if (prefer) return { kind: prefer, by: 'the caller' };
  for (const name of ['COPPICE_BACKEND', 'COPPICE_SNAPSHOTS']) {
    const kind = process.env[name];
    if (!kind) continue;
    if (isRootKind(kind)) return { kind, by: name };
    throw new SandboxError('invalid-argument', `${name} is "${kind}", not one of ${rootKinds.join(', ')}`);
  }
  return undefined;
}

async function whyNot(
  kind: RootKind,
  { folder, host, recall }: { folder: string; host: RootHost; recall: RecallProbe },
): Promise<string | undefined> {
  if (host.furnisher && kind !== 'copy') return 'jails without namespaces mount nothing';
  return recall(`${kind} roots`, () => kinds[kind].probe(folder, host));
}

async function chooseRootKind(
  folder: string,
  { host, recall, asked }: { host: RootHost; recall: RecallProbe; asked: Asked },
): Promise<{ kind: RootKind; why: string }> {
  if (asked) {
    const failure = await whyNot(asked.kind, { folder, host, recall });
    if (failure === undefined) return { kind: asked.kind, why: `${asked.by} asked for it` };
    throw new SandboxError(
      'unsupported',
      `Cannot make ${asked.kind} roots, which ${asked.by} asked for: ${failure}`,
      { details: { feature: asked.kind } },
    );
  }
  let why = '';
  for (const kind of rootKinds) {
    const failure = await whyNot(kind, { folder, host, recall });
    if (failure === undefined) return { kind, why: `${why}${kinds[kind].success}` };
    why += `no ${kind}, as ${failure}; `;
  }
  throw new SandboxError('unsupported', `Cannot make roots: ${why}`, { details: { feature: 'roots' } });
}
