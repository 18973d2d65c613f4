import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { RecordingSource } from '../../recording/read/text-blocks.ts';
import type { CliContext } from '../context.ts';
import { fileError } from '../transfer/file-ends.ts';

/** A recording in a file of this host, of which parts are read. @throws not-found, forbidden */
export async function openFileSource(
  path: string,
  { directory }: Pick<CliContext, 'directory'>,
): Promise<RecordingSource & AsyncDisposable> {
  const failed = (error: unknown) => fileError(error, `read ${path}`);
  try {
    const file = await open(resolve(directory, path), 'r');
    const { size } = await file.stat();
    return {
      sizeBytes: size,
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
