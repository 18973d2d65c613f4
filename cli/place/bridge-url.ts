import { SandboxError } from '../../protocol/errors.ts';
import type { CliContext } from '../context.ts';
import type { PlaceOptions } from './place.ts';

/**
 * The bridge that is meant, if one is. A folder that was named counts more than the environment.
 * @throws invalid-argument where options name a bridge and a folder
 */
export function bridgeUrl(
  { bridge, root, inPlace }: PlaceOptions,
  { environment }: Pick<CliContext, 'environment'>,
): string | undefined {
  const folder = root === undefined ? inPlace && '--in-place' : '--root';
  if (bridge !== undefined && folder !== undefined) {
    const message = `Cannot use a bridge and a folder of this host at once: leave out --bridge or ${folder}`;
    throw new SandboxError('invalid-argument', message);
  }
  return bridge ?? (folder === undefined ? environment.COPPICE_BRIDGE || undefined : undefined);
}
