import { resolve } from 'node:path';
import { findFolderHistory } from '../../bridge-server/main/find-folder-history.ts';
import { hostFolder } from '../../bridge-server/main/host-folder.ts';
import { openFolderHistory } from '../../bridge-server/main/open-folder-history.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { beginLabel } from '../../sdk/undo/steps.ts';
import type { CliContext } from '../context.ts';
import { agoText } from '../output/amounts.ts';
import { plainText } from '../output/plain-text.ts';
import type { Place, PlaceOptions } from './place.ts';

/**
 * The history of a folder of this host, whose only sandbox it is. @throws conflict where a write to the folder was interrupted, unless it is only
 * read, or that is ended now; as `openFolderHistory`
 */
export async function openHistoryPlace(
  options: PlaceOptions,
  context: CliContext,
  { readOnly }: { readonly readOnly: boolean },
): Promise<Place> {
  await using stack = new AsyncDisposableStack();
  const found = findHistory(options, context);
  const history = stack.use(
    await openFolderHistory(found, { isAgents: options.isAgents ?? false, signal: context.signal }),
  );
  const [only] = await history.backend.list();
  if (!only)
    throw new SandboxError(
      'not-found',
      `${found.folder} has no history yet: make it with coppice init --in-place`,
    );
  const { interrupted } = history;
  if (interrupted && !options.endsInterrupted) {
    const error = interruptedWrite(history.folder, interrupted.beganMs);
    if (!readOnly) throw error;
    context.stderr.write(`coppice: ${plainText(error.message)}\n`);
  }
  const owned = stack.move();
  return {
    type: 'history',
    interrupted,
    backend: history.backend,
    name: history.folder,
    only: only.id,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function interruptedWrite(folder: string, beganMs: number): SandboxError {
  const message =
    `Putting back files of ${folder} was interrupted (it began: ${agoText(beganMs, Date.now())}): some are put back, others are not. ` +
    'coppice undo --continue ends it, coppice undo --abort puts back what was there before';
  return new SandboxError('conflict', message, { details: { folder, interrupted: true } });
}

/** Begins the history of a folder, with a first snapshot of what is there; nothing where it has one. */
export async function beginHistory(
  options: PlaceOptions,
  context: CliContext,
): Promise<{ readonly folder: string; readonly isNew: boolean; readonly files: number }> {
  const place = historyOf(options, context);
  await using history = await openFolderHistory(place, { create: true, signal: context.signal });
  const { backend, folder } = history;
  if ((await backend.list()).length > 0) return { folder, isNew: false, files: 0 };
  const { Sandbox } = await import('../../sdk/sandbox.ts');
  const sandbox = await Sandbox.create({ backend, name: 'default', signal: context.signal });
  try {
    await sandbox.createSnapshot({ label: beginLabel });
    await sandbox.close();
    return { folder, isNew: true, files: history.look?.entries ?? 0 };
  } catch (error) {
    // Half a history would be undone to nothing.
    await sandbox.close({ discard: true }).catch(() => undefined);
    await Sandbox.delete(sandbox.id, { backend });
    throw error;
  }
}

/** The nearest folder with a history; the one that was named where none has one. */
function findHistory(
  options: PlaceOptions,
  context: CliContext,
): { readonly root: string; readonly folder: string } {
  const place = historyOf(options, context);
  return { ...place, folder: findFolderHistory(place) ?? place.folder };
}

function historyOf(
  { root, inPlace = '.' }: PlaceOptions,
  { environment, directory }: CliContext,
): { readonly root: string; readonly folder: string } {
  return {
    root: resolve(directory, root ?? hostFolder(environment)),
    folder: resolve(directory, inPlace),
  };
}
