import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { RootMaker } from '../contract.ts';
import { ownPrivileges } from '../privileges.ts';
import { CopyRoots } from './copy-roots.ts';
import { abilitiesOf, type HostAbilities } from './kept-metadata.ts';
import { OverlayRoots } from './overlay-roots.ts';
import { probeOverlay } from './probe-overlay.ts';
import type { HostLimits } from './root-source.ts';

export interface RootMakerOptions {
  /** Where layers and roots live: this process's alone. Layers of the image stay there between processes. */
  readonly folder: string;
  /** The program that finds what changed in a root (`buildScanner`). */
  readonly scanner: string;
  /** What to use without asking the host; `COPPICE_SNAPSHOTS` says more still. */
  readonly prefer?: 'overlay' | 'copy' | undefined;
  /** File content that one tree may have. Default 64 GiB. */
  readonly maxBytes?: number | undefined;
  /** Told which kind was chosen, and why. */
  readonly onChoice?: ((kind: 'overlay' | 'copy', why: string) => void) | undefined;
}

/**
 * Makes roots in the best way that this host has, found out by trying.
 * @throws unsupported when the kind that was asked for does not work here, invalid-argument
 */
export async function openRootMaker(options: RootMakerOptions): Promise<RootMaker> {
  const folder = resolve(options.folder);
  // Files in here have the owners and setuid bits that a sandbox gave them; no user of the host gets to them.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const abilities = abilitiesOf(ownPrivileges());
  const { kind, why } = await chooseKind(folder, { abilities, asked: askedKind(options.prefer) });
  options.onChoice?.(kind, why);
  const { scanner, maxBytes = limits.diskMiB.max * 1_048_576 } = options;
  const host: HostLimits = { abilities, scanner, maxBytes };
  return kind === 'overlay' ? OverlayRoots.open(folder, host) : CopyRoots.open(folder, host);
}

type Asked = { readonly kind: 'overlay' | 'copy'; readonly by: string } | undefined;

function askedKind(prefer: 'overlay' | 'copy' | undefined): Asked {
  const variable = process.env.COPPICE_SNAPSHOTS;
  if (!variable) return prefer && { kind: prefer, by: 'the caller' };
  if (variable === 'overlay' || variable === 'copy') return { kind: variable, by: 'COPPICE_SNAPSHOTS' };
  throw new SandboxError('invalid-argument', `COPPICE_SNAPSHOTS is "${variable}", not "overlay" or "copy"`);
}

async function chooseKind(
  folder: string,
  { abilities, asked }: { abilities: HostAbilities; asked: Asked },
): Promise<{ kind: 'overlay' | 'copy'; why: string }> {
  if (asked?.kind === 'copy') return { kind: 'copy', why: `${asked.by} asked for it` };
  const failure = await probeOverlay(folder, abilities);
  if (failure === undefined) return { kind: 'overlay', why: 'an overlay was mounted and left a whiteout' };
  if (asked === undefined) return { kind: 'copy', why: `overlay mounts do not work here: ${failure}` };
  throw new SandboxError(
    'unsupported',
    `Cannot make overlay roots, which ${asked.by} asked for: ${failure}`,
    {
      details: { feature: 'overlay' },
    },
  );
}
