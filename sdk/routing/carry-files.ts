import { moveStream } from '../../protocol/copy/copy-snapshot.ts';
import type { SandboxSettings } from '../../protocol/sandbox/backend.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { OpenSandbox } from '../open-sandbox.ts';
import type { NamedPlace } from './place.ts';

/** What programs and users are of a distribution (hier(7)): a tree of another one has its own, which need not fit these. */
const distributionPaths = [
  ...['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/boot'],
  ...['/usr/bin', '/usr/sbin', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libx32', '/usr/libexec'],
  ...['/usr/games', '/usr/include', '/usr/share', '/usr/src'],
  ...['/var/cache', '/var/lib/dpkg', '/var/lib/apt', '/var/lib/apk', '/lib/apk'],
  ...['/etc/passwd', '/etc/passwd-', '/etc/group', '/etc/group-'],
  ...['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-'],
] as const;

export interface CarryFilesOptions {
  readonly to: NamedPlace;
  readonly snapshot: SnapshotInfo['id'];
  /** What the sandbox there is told. */
  readonly settings: SandboxSettings;
  /** Of the snapshot that it begins with. */
  readonly label: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Makes a sandbox at a place whose own image or runtime begins with other files, and brings those of a snapshot: what
 * differs from what this one began with is laid over them before anything runs there, but for what the distribution there has
 * itself. Owners, modes, links and times are kept. Files that were deleted of the first ones stay; sockets, fifos and devices
 * do not come along. Nobody has it open yet.
 * @throws as `SandboxBackend.openImport` and `TransferFacet.exportTar`, aborted
 */
export function carryFiles(
  from: Pick<OpenSandbox, 'connection' | 'info'>,
  { to, snapshot, settings, label, signal }: CarryFilesOptions,
): Promise<SandboxInfo> {
  const { backend, runtime, image, memoryMiB, diskMiB, network } = to;
  const archive = { label, ...(image === undefined ? {} : { image }) };
  return moveStream({
    from: () =>
      from.connection.transfer.exportTar({ at: snapshot, since: 'base', except: distributionPaths }),
    to: () =>
      backend.openImport({
        ...{ ...settings, archive, runtime, name: from.info.name },
        ...(memoryMiB === undefined ? {} : { memoryMiB }),
        ...(diskMiB === undefined ? {} : { diskMiB }),
        ...(network === undefined ? {} : { network }),
      }),
    onProgress: () => {},
    signal,
  });
}
