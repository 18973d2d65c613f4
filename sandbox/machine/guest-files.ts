import { SandboxError } from '../../protocol/errors.ts';
import type { FileChanger, ProcessStarter } from './machine-ports.ts';

const scripts = {
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
  copy: [
    'if [ -d "$2" ]; then echo "is a directory: $2" >&2; exit 1; fi',
    // Beside its place, so that half of it never stands there.
    'half=$(dirname "$2")/.coppice-copy-$$',
    'cp -aT --reflink=auto -- "$1" "$half" && mv -T -- "$half" "$2" || { rm -rf -- "$half"; exit 1; }',
  ].join('; '),
} as const;

interface Change {
  readonly path: string;
  /** The script's second argument. */
  readonly second?: string | undefined;
  /** Its standard input. */
  readonly bytes?: Uint8Array | undefined;
}

/**
 * Changes files by a shell in the machine, as root: its kernel caches names and content of the tree, so a change from
 * outside would not be seen.
 */
export class GuestFiles implements FileChanger {
  readonly #processes: ProcessStarter;

  constructor(processes: ProcessStarter) {
    this.#processes = processes;
  }

  write({ path, bytes, mode }: Parameters<FileChanger['write']>[0]): Promise<void> {
    return this.#change('write', { path, bytes, second: mode?.toString(8) });
  }

  makeDirectory({ path }: { path: string }): Promise<void> {
    return this.#change('makeDirectory', { path });
  }

  remove({ path }: { path: string }): Promise<void> {
    return this.#change('remove', { path });
  }

  rename({ path, to }: { path: string; to: string }): Promise<void> {
    return this.#change('rename', { path, second: to });
  }

  copy({ path, to }: { path: string; to: string }): Promise<void> {
    return this.#change('copy', { path, second: to });
  }

  async #change(action: keyof typeof scripts, { path, second = '', bytes }: Change): Promise<void> {
    const ended = Promise.withResolvers<number>();
    let complaint = '';
    const process = await this.#processes.start(
      {
        command: ['/bin/sh', '-c', scripts[action], 'sh', path, second],
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
    const what = action === 'makeDirectory' ? 'make directory' : action;
    throw new SandboxError(code, `Cannot ${what} "${path}": ${why}`, { details: { path } });
  }
}
