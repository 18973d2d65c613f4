import { hostFolder } from '../../bridge-server/main/host-folder.ts';
import {
  type LocalHost,
  type LocalHostOptions,
  openLocalHost,
} from '../../bridge-server/main/open-local-host.ts';
import { isBundled } from '../../images/builder-digest.ts';
import { provideImage } from '../../images/provide-image.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { CliContext } from '../context.ts';
import { cliProgress } from '../output/cli-progress.ts';
import { askedIsolation, askedRootKind } from './host-choices.ts';
import type { FolderPlace, PlaceOptions } from './place.ts';

/**
 * The sandboxes of a folder of this host, in this process. @throws unsupported with what works instead, where this host
 * has no jails; as `openLocalHost`
 */
export async function openFolderPlace(
  { root, quiet, backend, isolation }: PlaceOptions,
  { environment, stderr }: CliContext,
): Promise<FolderPlace> {
  const folder = root ?? hostFolder(environment);
  const host = await openJails({
    folder,
    provideImage,
    imagesOnDemand: true,
    // Without a kernel to build, which takes minutes and a compiler.
    images: isBundled() ? ['debian-amd64'] : [],
    entersIdRange: false,
    snapshots: askedRootKind(['--backend', backend], environment),
    isolation: askedIsolation(['--isolation', isolation], environment),
    progress: cliProgress(stderr, { quiet }),
  });
  await deleteExpired(host);
  return {
    type: 'folder',
    backend: host.backend,
    name: folder,
    answersAt: (socket) => host.answersAt(socket),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

/** Sandboxes whose end came while nobody served the folder, such as that of a `coppice run` that was killed. */
async function deleteExpired({ backend }: LocalHost): Promise<void> {
  for (const id of await backend.expired(Date.now())) {
    // It is tried again the next time.
    await backend.delete({ id }).catch(() => undefined);
  }
}

async function openJails(options: LocalHostOptions): Promise<LocalHost> {
  if (process.platform !== 'linux') throw withoutJails(`jails are Linux's, and this is ${process.platform}`);
  try {
    return await openLocalHost(options);
  } catch (cause) {
    const error = SandboxError.from(cause);
    if (error.code !== 'unsupported') throw error;
    throw withoutJails(error.message, error);
  }
}

function withoutJails(why: string, cause?: SandboxError): SandboxError {
  const message =
    `Cannot run sandboxes of this folder: ${why}. ` +
    '`coppice doctor` says what helps; `coppice run --runtime shell` and `--bridge URL` work without';
  return new SandboxError('unsupported', message, {
    details: { feature: 'jails', ...cause?.details },
    cause,
  });
}
