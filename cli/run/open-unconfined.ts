import { Sandbox } from '../../sdk/sandbox.ts';
import type { Cli } from '../cli.ts';
import { packFiles } from '../transfer/pack-files.ts';
import { findMount } from './copy-in.ts';
import type { RunSandbox } from './run-sandbox.ts';

/**
 * A new working folder of this host, with its history, in which a program of the host runs without walls. Disposing of it ends that
 * and all that it has started, and deletes the folder. @throws as `openUnconfinedPlace`
 */
export async function openUnconfined({
  cli: { context },
  signal,
}: {
  readonly cli: Cli;
  readonly signal: AbortSignal;
}): Promise<RunSandbox> {
  await using stack = new AsyncDisposableStack();
  const { openUnconfinedPlace } = await import('../place/open-unconfined-place.ts');
  const place = stack.use(await openUnconfinedPlace(context, { signal }));
  const sandbox = stack.use(await Sandbox.create({ backend: place.backend, name: 'run', signal }));
  // First: what runs while the sandbox is closed would change files under it.
  stack.use(place.programs);
  const owned = stack.move();
  return {
    sandbox,
    copyIn: async (text) => {
      const { folder, path } = await findMount(text, context.directory);
      const totals = { files: 0, bytes: 0, leftOut: [] };
      await place.unpack(packFiles(folder, { name: '.', totals, signal }), path);
      // So that they are not taken for the command's.
      await sandbox.createSnapshot({ label: 'copied in' });
      return totals.leftOut;
    },
    // Below the working folder, as the machine of that takes it.
    findDirectory: async (workdir) => workdir,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
