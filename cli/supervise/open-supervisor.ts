import { SandboxError } from '../../protocol/errors.ts';
import type { SharedOptions } from '../cli.ts';
import type { CliContext } from '../context.ts';
import { openFolder } from '../place/open-place.ts';
import { type ServedFolder, type ServeFolderOptions, serveFolder } from './serve-folder.ts';

/**
 * Opens the folder that the options name and serves it: for `supervise` and `daemon`.
 * @throws busy where another process holds it; invalid-argument where the options name a bridge; as `openFolder`
 */
export async function openSupervisor(
  options: SharedOptions,
  context: CliContext,
  serving: Omit<ServeFolderOptions, 'sandbox'>,
): Promise<ServedFolder> {
  assertNoBridge(options);
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await openFolder(options, context));
  const served = stack.use(await serveFolder(place, { ...serving, sandbox: options.sandbox }));
  const owned = stack.move();
  return { ...served, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** @throws invalid-argument where the options name a bridge */
export function assertNoBridge({ bridge }: Pick<SharedOptions, 'bridge'>): void {
  if (bridge === undefined) return;
  throw new SandboxError(
    'invalid-argument',
    'Cannot supervise sandboxes of a bridge, which serves them itself: leave out --bridge',
  );
}
