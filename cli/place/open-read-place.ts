import { assertFolderIsFree } from '../../bridge-server/main/hold-folder.ts';
import { hostFolder } from '../../bridge-server/main/host-folder.ts';
import { openHostToRead } from '../../bridge-server/main/open-host-to-read.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { CliContext } from '../context.ts';
import type { Place, PlaceOptions } from './place.ts';

/** What is stored in a folder of this host, in milliseconds, whoever holds it. @throws as `openHostToRead` */
export function openReadPlace({ root }: PlaceOptions, { environment }: CliContext): Place {
  const folder = root ?? hostFolder(environment);
  const host = openHostToRead(folder);
  return {
    type: 'folder',
    backend: host.backend,
    name: folder,
    heldBy: () => holderOf(folder),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

/** A command that runs just now, or a bridge, as it has noted itself. */
function holderOf(folder: string): string | undefined {
  try {
    assertFolderIsFree(folder);
    return undefined;
  } catch (error) {
    const { code, details } = SandboxError.from(error);
    if (code !== 'busy') throw error;
    const who = typeof details.pid === 'number' ? `process ${details.pid}` : 'another process';
    return typeof details.url === 'string' ? `${who}, a bridge that listens at ${details.url}` : who;
  }
}
