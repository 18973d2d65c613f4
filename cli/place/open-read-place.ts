import { hostFolder } from '../../bridge-server/main/host-folder.ts';
import { openHostToRead } from '../../bridge-server/main/open-host-to-read.ts';
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
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}
