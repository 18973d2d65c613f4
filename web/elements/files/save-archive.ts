import type { ArchiveReader } from '../../../protocol/sandbox.ts';
import { Archive } from '../../../sdk/archive.ts';
import { saveBlob } from './save-file.ts';

/** Not in TypeScript's DOM library: https://wicg.github.io/file-system-access/#api-showsavefilepicker */
type PickFile = (options: {
  suggestedName: string;
  types: { description: string; accept: Record<string, string[]> }[];
}) => Promise<FileSystemFileHandle>;

/** Where the bytes of an archive go. */
interface Sink {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  finish(): Promise<void>;
  /** After a failure: what was written is not left behind. */
  abort(): Promise<void>;
}

/**
 * Writes an archive to a file that the user picks, or where the browser has no such dialog, to a
 * download. Piece by piece: the page holds one at a time. Resolves to the archive, which says what
 * is missing in it, or to `undefined` when no file was picked. Call it while handling a click.
 */
export async function saveArchive(
  name: string,
  open: () => Promise<ArchiveReader>,
): Promise<Archive | undefined> {
  const sink = 'showSaveFilePicker' in globalThis ? await pickSink(name) : blobSink(name);
  if (sink === undefined) return undefined;
  try {
    const archive = new Archive(await open());
    // What came over a port has a buffer of its own.
    for await (const bytes of archive) await sink.write(bytes as Uint8Array<ArrayBuffer>);
    await sink.finish();
    return archive;
  } catch (error) {
    await sink.abort().catch(() => undefined); // What is to be told is why.
    throw error;
  }
}

async function pickSink(suggestedName: string): Promise<Sink | undefined> {
  const { showSaveFilePicker } = globalThis as unknown as { showSaveFilePicker: PickFile };
  const types = [{ description: 'Tar archive', accept: { 'application/x-tar': ['.tar'] } }];
  try {
    const file = await (await showSaveFilePicker({ suggestedName, types })).createWritable();
    return {
      write: (bytes) => file.write(bytes),
      finish: () => file.close(),
      abort: () => file.abort(),
    };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    // A page that may not ask (in a frame of another origin, or too late after the click) still downloads.
    if (error instanceof DOMException && error.name === 'SecurityError') return blobSink(suggestedName);
    throw error;
  }
}

/** Each piece becomes the browser's at once, which keeps blobs on disk when they are many. */
function blobSink(name: string): Sink {
  let parts: Blob[] = [];
  return {
    write: async (bytes) => void parts.push(new Blob([bytes])),
    finish: async () => saveBlob(name, new Blob(parts, { type: 'application/x-tar' })),
    abort: async () => {
      parts = [];
    },
  };
}
