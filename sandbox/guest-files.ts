import { SandboxError } from '../protocol/errors.ts';
import type { InitClient } from '../protocol/init/init-client.ts';
import { limits } from '../protocol/limits.ts';

type Action = 'write' | 'makeDirectory' | 'remove' | 'rename';

const scripts: Readonly<Record<Action, string>> = {
  write: [
    'if [ -e "$1" ]; then cat > "$1"; else cat > "$1" && chown --reference="$(dirname "$1")" "$1"; fi',
    // `cat` is told when there is no room; what fills up before its pages are written back is told here.
    'sync "$1"',
    '{ [ -z "$2" ] || chmod "$2" "$1"; }',
  ].join(' && '),
  makeDirectory: [
    'if [ -d "$1" ]; then exit; fi; top=$1',
    'while [ ! -e "$(dirname "$top")" ]; do top=$(dirname "$top"); done',
    'mkdir -p "$1" && chown -R --reference="$(dirname "$top")" "$top"',
  ].join('; '),
  remove:
    'if [ -e "$1" ] || [ -L "$1" ]; then rm -rf -- "$1"; else echo "no such file or directory" >&2; exit 2; fi',
  rename: 'mv -T -- "$1" "$2"',
};

export interface GuestFileOptions {
  readonly path: string;
  readonly to?: string;
  readonly mode?: number;
  readonly bytes?: Uint8Array;
}

/**
 * Changes files through the guest itself, as root: its kernel caches names and content of the
 * tree, so a change from outside would not be seen. What is new belongs to whom its directory
 * belongs to.
 * @throws invalid-argument with the guest's own words, limit-exceeded, connection-lost
 */
export async function changeGuestFile(
  init: InitClient,
  action: Action,
  options: GuestFileOptions,
): Promise<void> {
  const { path, to, mode, bytes } = options;
  for (const name of to === undefined ? [path] : [path, to]) assertPath(name);
  if (bytes && bytes.length > limits.uploadBytes) {
    throw new SandboxError(
      'limit-exceeded',
      `Cannot write "${path}": ${bytes.length} bytes, ${limits.uploadBytes} is the most`,
    );
  }
  const ended = Promise.withResolvers<number>();
  let complaint = '';
  const process = await init.exec(
    {
      command: [
        '/bin/sh',
        '-c',
        scripts[action],
        'sh',
        path,
        to ?? (mode === undefined ? '' : mode.toString(8)),
      ],
      user: 'root',
      cwd: '/',
      stdin: bytes !== undefined,
    },
    (event) => {
      if (event.type === 'exit') ended.resolve(event.exitCode);
      else if (complaint.length < 1000) complaint += new TextDecoder().decode(event.bytes);
    },
  );
  if (bytes) {
    // A full disk ends the process before it has read all; its exit code tells.
    await process
      .write(bytes)
      .then(() => process.closeStdin())
      .catch(() => undefined);
  }
  const exitCode = await ended.promise;
  if (exitCode === 0) return;
  const why = complaint.trim().split('\n').at(-1) || `exit code ${exitCode}`;
  const code = why.includes('No space left')
    ? 'storage-full'
    : why.includes('o such file')
      ? 'not-found'
      : 'invalid-argument';
  throw new SandboxError(
    code,
    `Cannot ${action === 'makeDirectory' ? 'make directory' : action} "${path}": ${why}`,
    { details: { path } },
  );
}

function assertPath(path: string): void {
  if (path.startsWith('/') && path !== '/' && !path.includes('\0')) return;
  throw new SandboxError(
    'invalid-argument',
    `Cannot change ${JSON.stringify(path)}: it is not an absolute path to a file`,
  );
}
