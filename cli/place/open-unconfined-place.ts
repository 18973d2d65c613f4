import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFolderHistory } from '../../bridge-server/main/open-folder-history.ts';
import { HostTool } from '../../bridge-server/programs/host-tool.ts';
import { removeFolder } from '../../bridge-server/roots/remove-folder.ts';
import { HostPrograms } from '../../bridge-server/runtimes/unconfined/host-programs.ts';
import { pathBelow } from '../../bridge-server/runtimes/unconfined/path-below.ts';
import { diskError } from '../../bridge-server/stores/disk-error.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { CliContext } from '../context.ts';

/** A new working folder of this host, for programs without walls. Disposing of it ends them, and deletes the folder with its history. */
export interface UnconfinedPlace extends AsyncDisposable {
  /** For one sandbox, whose files are those of the folder. */
  readonly backend: SandboxBackend;
  /** Disposing of it ends what runs there. */
  readonly programs: AsyncDisposable;
  /** Unpacks a tar archive into a directory below the folder, which is made. @throws invalid-argument for one outside; storage-full */
  unpack(archive: AsyncIterable<Uint8Array>, path: string): Promise<void>;
}

/** @throws as `openFolderHistory`, and as the disk for temporary files fails */
export async function openUnconfinedPlace(
  { environment }: Pick<CliContext, 'environment'>,
  { signal }: { readonly signal: AbortSignal },
): Promise<UnconfinedPlace> {
  await using stack = new AsyncDisposableStack();
  const made = await makeFolder();
  stack.defer(() => removeFolder(made));
  const folder = join(made, 'work');
  await mkdir(folder);
  const programs = stack.use(new HostPrograms({ folder, environment }));
  const place = { root: join(made, 'history'), folder };
  const { backend } = stack.use(await openFolderHistory(place, { create: true, programs, signal }));
  const owned = stack.move();
  return {
    backend,
    programs,
    unpack: (archive, path) => unpack(archive, pathBelow(folder, path)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** @throws not-found, read-only, storage-full or another that `diskError` makes, with where it was to be */
async function makeFolder(): Promise<string> {
  const place = tmpdir();
  try {
    return await realpath(await mkdtemp(join(place, 'coppice-run-')));
  } catch (cause) {
    const { code, message } = diskError(`make a working folder in ${place}`, cause);
    throw new SandboxError(code, `${message}. TMPDIR names another place`, { cause });
  }
}

async function unpack(archive: AsyncIterable<Uint8Array>, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  // As both GNU's and BSD's take them.
  await using tar = new HostTool('tar', ['-x', '-p', '--no-same-owner', '-f', '-', '-C', directory]);
  for await (const piece of archive) await tar.write(piece);
  await tar.finish();
}
