import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { FileInfo } from '../../../protocol/sandbox/files.ts';
import type { TreeRef } from '../../../protocol/sandbox/refs.ts';
import { decodeText } from '../diff/decode-text.ts';
import type { Notices } from '../model/notices.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { formatBytes } from '../text/format-bytes.ts';
import { joinPath } from './file-paths.ts';
import { restorePath } from './restore-path.ts';
import { saveFile } from './save-file.ts';

/**
 * The file browser's operations on files. Each call reports its error in the model's `files` area, and answers
 * whether it succeeded.
 */
export class FileDesk {
  readonly #model: SandboxModel;
  readonly #notices: Notices;

  constructor(model: SandboxModel, notices: Notices) {
    this.#model = model;
    this.#notices = notices;
  }

  /** The entries of a directory, directories first, each by name. */
  async list(path: string, at: TreeRef): Promise<FileInfo[] | undefined> {
    const files = await this.#model.attempt('files', (connection) => connection.files.list({ path, at }));
    const rank = (file: FileInfo): number => (file.type === 'directory' ? 0 : 1);
    return files?.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
  }

  /** A file's text; `undefined` if it cannot be edited, with a problem that says why. */
  readText(path: string, at: TreeRef): Promise<string | undefined> {
    return this.#model.attempt('files', async (connection) => {
      const file = decodeText(await connection.files.read({ path, at }));
      if (file.type === 'text') return file.text;
      const why = file.type === 'binary' ? 'a binary file' : `past ${formatBytes(limits.textDiffBytes)}`;
      throw new SandboxError(
        'unsupported',
        `Cannot show "${path}" as text: it is ${why}. Download it instead.`,
      );
    });
  }

  saveText(path: string, text: string): Promise<boolean> {
    return this.#done((connection) =>
      connection.files.write({ path, bytes: new TextEncoder().encode(text) }),
    );
  }

  download(path: string, at: TreeRef): Promise<boolean> {
    return this.#done(async (connection) => {
      saveFile(path.slice(path.lastIndexOf('/') + 1), await connection.files.read({ path, at }));
    });
  }

  /** Writes the files into `directory`, one after the other, over those of the same name. */
  upload(directory: string, files: readonly File[]): Promise<boolean> {
    return this.#done(async (connection) => {
      for (const file of files) {
        if (file.size > limits.uploadBytes) {
          const most = formatBytes(limits.uploadBytes);
          throw new SandboxError(
            'limit-exceeded',
            `Cannot upload "${file.name}": it is larger than ${most}.`,
          );
        }
        await connection.files.write({
          path: joinPath(directory, file.name),
          bytes: new Uint8Array(await file.arrayBuffer()),
        });
      }
      this.#notices.add({ text: `Uploaded ${files.map((file) => file.name).join(', ')}.`, tone: 'info' });
    });
  }

  makeDirectory(path: string): Promise<boolean> {
    return this.#done((connection) => connection.files.makeDirectory({ path }));
  }

  rename(from: string, to: string): Promise<boolean> {
    return this.#done((connection) => connection.files.rename({ from, to }));
  }

  /** Takes a snapshot, deletes a file or directory, and offers to restore it. */
  remove(file: FileInfo, onRestored: () => void): Promise<boolean> {
    return this.#done(async (connection) => {
      const before = await connection.history.createSnapshot({ label: `before deleting ${file.name}` });
      await connection.files.remove({ path: file.path });
      const run = async (): Promise<void> => {
        const back = await this.#model.attempt('files', () => restorePath(connection, file.path, before.id));
        if (back !== undefined && back.leftOut > 0) {
          const text = `${back.leftOut} links or devices could not be put back; the snapshot “before deleting ${file.name}” has them.`;
          this.#notices.add({ text, tone: 'error' });
        }
        onRestored();
      };
      const action = { label: 'Undo', run: () => void run() };
      this.#notices.add({ text: `Deleted ${file.name}.`, tone: 'info', action });
    });
  }

  async #done(call: (connection: SandboxConnection) => Promise<void>): Promise<boolean> {
    this.#model.noteUse();
    const done = await this.#model.attempt('files', async (connection) => {
      await call(connection);
      return true;
    });
    return done ?? false;
  }
}
