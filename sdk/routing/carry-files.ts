import { SandboxError } from '../../protocol/errors.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { hasImage } from '../../protocol/sandbox/sandbox-info.ts';
import type { Archive } from '../archive.ts';
import { type CommandHandle, Commands } from '../commands.ts';
import type { Sandbox } from '../sandbox.ts';

type Target = Pick<Sandbox, 'connection' | 'info'>;

/** What programs and users are of a distribution (hier(7)): a tree of another one has its own, which need not fit these. */
const distributionPaths = [
  ...['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/boot'],
  ...['/usr/bin', '/usr/sbin', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libx32', '/usr/libexec'],
  ...['/usr/games', '/usr/include', '/usr/share', '/usr/src'],
  ...['/var/cache', '/var/lib/dpkg', '/var/lib/apt', '/var/lib/apk', '/lib/apk'],
  ...['/etc/passwd', '/etc/passwd-', '/etc/group', '/etc/group-'],
  ...['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-'],
] as const;

/**
 * Brings the files of a snapshot to a sandbox that begins with others: what differs from what its own image or runtime begins
 * with, but for what the distribution there has itself. Owners, modes, links and times are kept. Files that were deleted
 * of the first ones stay, as do sockets, fifos and devices where they are.
 * @throws limit-exceeded, storage-full, unsupported (no tar there), machine-failed, aborted
 */
export async function carryFiles(
  from: Pick<Sandbox, 'exportTar'>,
  {
    to,
    snapshot,
    signal,
  }: {
    readonly to: Target;
    readonly snapshot: SnapshotInfo['id'];
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const archive = await from.exportTar({ at: snapshot, since: 'base', except: distributionPaths });
  await unpack(archive, { to, signal });
}

/** As root, without `importTar`'s walls: whoever made the archive could be root there too. */
async function unpack(
  archive: Archive,
  { to, signal }: { readonly to: Target; readonly signal: AbortSignal | undefined },
): Promise<void> {
  await using reading = archive;
  const command = [
    ...['tar', '--extract', '--file=-', '--directory=/', '--same-owner', '--numeric-owner'],
    ...['--same-permissions', '--delay-directory-restore', '--warning=no-timestamp'],
    ...(hasImage(to.info) ? ['--keep-directory-symlink'] : []),
  ];
  const aborting = signal ? { signal } : {};
  // Not the sandbox's own `commands`: hooks are for what its user runs.
  const commands = new Commands(to.connection);
  const tar = await commands.run(command, {
    ...aborting,
    user: 'root',
    cwd: '/',
    stdin: true,
    background: true,
  });
  await feed(reading, tar);
  const { exitCode, stderr } = await tar.wait();
  if (exitCode === 0) return;
  const [line = ''] = stderr.trim().split('\n');
  const code = stderr.includes('No space left') ? 'storage-full' : 'machine-failed';
  // It names files of the sandbox (H-9).
  const why = line === '' ? `tar ended with ${exitCode}` : toPlainText(line.slice(0, 256));
  throw new SandboxError(code, `Cannot bring the files to "${to.info.name}": ${why}`);
}

/** Printable ASCII, which does nothing to a terminal. */
function toPlainText(line: string): string {
  return line.replace(/[^\x20-\x7e]/g, '?');
}

/** A tar that ends early says why itself. */
async function feed(archive: Archive, tar: CommandHandle): Promise<void> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  tar.wait().then(end, end);
  for await (const piece of archive) {
    if (hasEnded) return;
    await tar.sendStdin(piece).catch(end);
  }
  await tar.closeStdin().catch(end);
}
