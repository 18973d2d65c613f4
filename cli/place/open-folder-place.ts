import { hostFolder } from '../../bridge-server/main/host-folder.ts';
import type { NetworkChoice } from '../../bridge-server/main/open-host.ts';
import {
  type LocalHost,
  type LocalHostOptions,
  openLocalHost,
} from '../../bridge-server/main/open-local-host.ts';
import type { ShellHost } from '../../bridge-server/main/open-shell-host.ts';
import { ownPrivileges } from '../../bridge-server/privileges.ts';
import { isBundled } from '../../images/builder-digest.ts';
import { provideImage } from '../../images/provide-image.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { CliContext } from '../context.ts';
import { cliProgress } from '../output/cli-progress.ts';
import { plainLines } from '../output/plain-text.ts';
import { askedIsolation, askedNetwork, askedRootKind, networkText } from './host-choices.ts';
import type { FolderPlace, PlaceOptions } from './place.ts';

/**
 * The sandboxes of a folder of this host, in this process: in jails or, where this host has none and nobody has asked for their
 * kind, in shells, which `fellBack` says. @throws unsupported with what works instead; as `openLocalHost`
 */
export async function openFolderPlace(
  options: PlaceOptions,
  context: CliContext,
  own: Pick<LocalHostOptions, 'progress' | 'entersIdRange'> = {},
): Promise<FolderPlace> {
  const { environment } = context;
  const folder = options.root ?? hostFolder(environment);
  const asked = askedNetwork({ allow: options.networkAllow }, environment);
  const network = networkText(asked);
  try {
    const host = await openJails(folder, options, { context, own, network: asked });
    return await placeOf(host, folder, {
      network,
      ...(ownPrivileges() === 'one-id' ? { remark: oneIdRemark } : {}),
    });
  } catch (error) {
    const refusal = SandboxError.from(error);
    const { code, details, message } = refusal;
    const isAboutJails = code === 'unsupported' && details.feature === 'jails';
    if (!isAboutJails || asksForJails(options, context)) throw error;
    const { openShells } = await import('./open-shell-place.ts');
    const host = await openShells(folder, refusal);
    return await placeOf(host, folder, {
      network,
      fellBack: message,
      remark: `It is a shell: ${message}`,
    });
  }
}

async function placeOf(
  host: LocalHost | ShellHost,
  folder: string,
  told: Pick<FolderPlace, 'network' | 'remark' | 'fellBack'>,
): Promise<FolderPlace> {
  await using stack = new AsyncDisposableStack();
  stack.use(host);
  await deleteExpired(host);
  const owned = stack.move();
  return {
    type: 'folder',
    backend: host.backend,
    name: folder,
    // Shells have limits of their own, far below the disk's.
    ...(told.fellBack === undefined ? { disk: folder } : {}),
    ...told,
    answersAt: (socket) => host.answersAt(socket),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function asksForJails({ isolation, backend }: PlaceOptions, { environment }: CliContext): boolean {
  const { COPPICE_ISOLATION, COPPICE_BACKEND, COPPICE_SNAPSHOTS } = environment;
  const asked = [isolation, backend, COPPICE_ISOLATION, COPPICE_BACKEND, COPPICE_SNAPSHOTS];
  return asked.some((text) => text !== undefined && text !== '' && text !== 'auto');
}

const oneIdRemark =
  'All users in this sandbox are one, as this user of the host has no range of ids: apt needs -o APT::Sandbox::User=root, ' +
  'and packages that give files to another user fail. `coppice doctor` says how to have one';

/** Sandboxes whose end came while nobody served the folder, such as that of a `coppice run` that was killed. */
async function deleteExpired({ backend }: LocalHost | ShellHost): Promise<void> {
  for (const id of await backend.expired(Date.now())) {
    // It is tried again the next time.
    await backend.delete({ id }).catch(() => undefined);
  }
}

function unsavedNote(why: string): string {
  return `coppice: what has changed is in no snapshot: ${why}\ncoppice: the files are kept, and saved by the next command once there is room\n`;
}

async function openJails(
  folder: string,
  { quiet, backend, isolation, imageAhead }: PlaceOptions,
  {
    context: { environment, stderr, platform = process.platform },
    own,
    network,
  }: {
    readonly context: CliContext;
    readonly own: Pick<LocalHostOptions, 'progress' | 'entersIdRange'>;
    readonly network: NetworkChoice;
  },
): Promise<LocalHost> {
  const options: LocalHostOptions = {
    folder,
    provideImage,
    imagesOnDemand: true,
    imageAhead,
    // Without a kernel to build, which takes minutes and a compiler.
    images: isBundled() ? ['debian-amd64'] : [],
    entersIdRange: true,
    remembersProbes: true,
    snapshots: askedRootKind(['--backend', backend], environment),
    isolation: askedIsolation(['--isolation', isolation], environment),
    network,
    progress: cliProgress(stderr, { quiet }),
    // Also where notes are not wanted: what a command reports as done is in no snapshot.
    onUnsaved: (_sandbox, { message }) => void stderr.write(unsavedNote(plainLines(message))),
    // As any process of this user: there are no strangers' beside it, who would have to be protected.
    usual: { cpuShares: limits.hostCpuShares.max },
    ...own,
  };
  if (platform !== 'linux') throw withoutJails(`jails are Linux's, and this is ${platform}`);
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
    `No jails run here, as ${why}. ` +
    "`coppice doctor` says what helps; `--runtime shell` and `--bridge URL` work without (in code `runtime: 'shell'` and `connect`)";
  return new SandboxError('unsupported', message, {
    details: { feature: 'jails', ...cause?.details },
    cause,
  });
}
