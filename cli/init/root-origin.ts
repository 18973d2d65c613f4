import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ImageOrigin } from '../../images/import/image-origin.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { mountedBelow } from './mounted-below.ts';

/** Where `init` is told to take files from. */
export interface OriginOptions {
  readonly image?: string;
  readonly from?: string;
  readonly tarball?: string;
  readonly sha256?: string;
  readonly exclude?: readonly string[];
  readonly crossMounts?: boolean;
}

/** What the kernel, or whatever runs, puts there: the folders come along, and nothing that is in them. */
const usuallyEmpty = ['/proc/*', '/sys/*', '/dev/*', '/run/*', '/tmp/*'];

/** @throws invalid-argument where options do not go together */
export function assertOneOrigin({
  image,
  from,
  tarball,
  sha256,
  exclude = [],
  crossMounts,
}: OriginOptions): void {
  const given = [image && '--image', from && '--from', tarball && '--tarball'].filter(Boolean);
  if (given.length > 1) throw refused(`Give one of ${given.join(' and ')}`);
  if (sha256 !== undefined && (tarball === undefined || !/^[0-9a-f]{64}$/.test(sha256)))
    throw refused('--sha256 goes with --tarball, and has 64 hex digits');
  if (from === undefined && (exclude.length > 0 || crossMounts))
    throw refused('--exclude and --cross-mounts go with --from');
}

/**
 * The files that a new sandbox is to begin with; `undefined`: those of an image. What a Nix build output needs comes
 * along with it.
 * @throws invalid-argument
 */
export async function rootOrigin(
  { from, tarball, sha256, exclude = [], crossMounts }: OriginOptions,
  { directory, without }: { readonly directory: string; readonly without: readonly string[] },
): Promise<ImageOrigin | undefined> {
  if (tarball !== undefined) {
    const isUrl = /^https?:/i.test(tarball);
    return { type: 'tarball', from: isUrl ? tarball : resolve(directory, tarball), sha256 };
  }
  if (from === undefined) return undefined;
  const path = resolve(directory, from);
  const { isNixOutput, nixClosure } = await import('../../images/import/nix-closure.ts');
  const isNix = await isNixOutput(path);
  const mounted = crossMounts ? [] : await mountedBelow(await realpath(path).catch(() => path));
  return {
    type: 'folder',
    path,
    without,
    exclude: [...usuallyEmpty, ...mounted.map(contentsOf), ...exclude],
    crossesMounts: crossMounts,
    skipsUnreadable: true,
    ...(isNix ? { beside: await nixClosure(path), isGivenToRoot: true } : {}),
  };
}

/** A pattern for what is in a folder, and not the folder. */
function contentsOf(path: string): string {
  return `${path.replace(/[\\*?[\]]/g, '\\$&')}/*`;
}

function refused(message: string): SandboxError {
  return new SandboxError('invalid-argument', message);
}
