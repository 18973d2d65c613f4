import { open, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openRecording, openRecordingFolder } from '../../recording/read/open-recording.ts';
import type { Recording } from '../../recording/read/recording.ts';
import type { RecordingSource } from '../../recording/read/text-blocks.ts';
import type { CliContext } from '../context.ts';
import { fileError } from '../transfer/file-ends.ts';

/** A recording of this host, of which parts are read. The file is closed with it. */
export interface FileRecording extends AsyncDisposable {
  readonly recording: Recording;
}

/** Opens a file, or a folder of segments. @throws not-found, forbidden; as `openRecording` */
export async function openRecordingFile(path: string, context: CliContext): Promise<FileRecording> {
  const { directory, signal } = context;
  const whole = resolve(directory, path);
  await using stack = new AsyncDisposableStack();
  const isFolder = (await stat(whole).catch(() => undefined))?.isDirectory() === true;
  const recording = stack.use(
    isFolder
      ? await openRecordingFolder((name) => readInner(join(whole, name), path))
      : await openRecording(stack.use(await openFileSource(path, context)), { signal }),
  );
  const owned = stack.move();
  return { recording, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function readInner(file: string, path: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw fileError(error, `read ${path}`);
  }
}

async function openFileSource(
  path: string,
  { directory }: Pick<CliContext, 'directory'>,
): Promise<RecordingSource & AsyncDisposable> {
  const failed = (error: unknown) => fileError(error, `read ${path}`);
  try {
    const file = await open(resolve(directory, path), 'r');
    const { size } = await file.stat();
    return {
      read: async (from, to) => {
        const bytes = Buffer.alloc(Math.max(0, Math.min(to, size) - from));
        const { bytesRead } = await file.read(bytes, 0, bytes.length, from).catch((error) => {
          throw failed(error);
        });
        return bytes.subarray(0, bytesRead);
      },
      [Symbol.asyncDispose]: () => file.close(),
    };
  } catch (error) {
    throw failed(error);
  }
}
