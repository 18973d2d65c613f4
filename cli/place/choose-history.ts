import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { findFolderHistory } from '../../bridge-server/main/find-folder-history.ts';
import { hostFolder } from '../../bridge-server/main/host-folder.ts';
import type { CliContext } from '../context.ts';
import { bridgeUrl } from './bridge-url.ts';
import type { PlaceOptions } from './place.ts';

/**
 * Has a command of the history be about a folder of this host with `--in-place`, and in such a folder, or below one, without it: unless a sandbox or
 * a bridge is named.
 */
export function takesHistory(command: Command, context: CliContext): void {
  command.addOption(
    new Option('--in-place <folder>', 'the history of a folder of this host (coppice init --in-place)'),
  );
  command.hook('preAction', (_hooked, acting) => {
    const folder = historyHere(acting, context);
    if (folder !== undefined) acting.setOptionValueWithSource('inPlace', folder, 'implied');
  });
}

/** The folder with the history that `inPlace`, or else this process's folder, is in; nothing where there is none. */
export function findHistory(
  { root, inPlace = '.' }: Pick<PlaceOptions, 'root' | 'inPlace'>,
  { environment, directory }: CliContext,
): string | undefined {
  const folder = resolve(directory, inPlace);
  return findFolderHistory({ root: resolve(directory, root ?? hostFolder(environment)), folder });
}

function historyHere(command: Command, context: CliContext): string | undefined {
  const options = command.opts<PlaceOptions>();
  const { inPlace, root } = options;
  const { COPPICE_SANDBOX } = context.environment;
  const isNamed = command.getOptionValueSource('sandbox') === 'cli' || Boolean(COPPICE_SANDBOX);
  if (inPlace !== undefined || isNamed || bridgeUrl(options, context)) return undefined;
  return findHistory(root === undefined ? {} : { root }, context);
}
