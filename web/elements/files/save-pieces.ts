import { saveBlob } from './save-file.ts';

/** Not in TypeScript's DOM library: https://wicg.github.io/file-system-access/#api-showsavefilepicker */
type PickFile = (options: {
  suggestedName: string;
  types: { description: string; accept: Record<string, string[]> }[];
}) => Promise<FileSystemFileHandle>;

/** What is saved. */
export interface FileKind {
  readonly description: string;
  readonly mime: string;
  /** With its dot. */
  readonly extension: string;
}

/** The destination of a file's bytes. */
interface Sink {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  finish(): Promise<void>;
  /** After a failure: deletes what was written. */
  abort(): Promise<void>;
}

/**
 * Writes pieces to a file that the user picks, or where the browser has no such dialog, to a download, one at a
 * time, so that the page has one in memory at most. Resolves to the source of the pieces, or to `undefined` if the
 * user picked no file; then the source was not opened. Call it while handling a click.
 */
export async function savePieces<Source extends AsyncIterable<Uint8Array>>(
  name: string,
  { kind, open }: { readonly kind: FileKind; readonly open: () => Promise<Source> },
): Promise<Source | undefined> {
  const file = `${fileName(name)}${kind.extension}`;
  const sink = 'showSaveFilePicker' in globalThis ? await pickSink(file, kind) : blobSink(file, kind);
  if (sink === undefined) return undefined;
  try {
    const source = await open();
    // A piece that came over a port owns its buffer.
    for await (const bytes of source) await sink.write(bytes as Uint8Array<ArrayBuffer>);
    await sink.finish();
    return source;
  } catch (error) {
    await sink.abort().catch(() => undefined); // What is to be told is why.
    throw error;
  }
}

function fileName(name: string): string {
  return name.replace(/[^\w.-]+/g, '-');
}

async function pickSink(suggestedName: string, kind: FileKind): Promise<Sink | undefined> {
  const { showSaveFilePicker } = globalThis as unknown as { showSaveFilePicker: PickFile };
  const types = [{ description: kind.description, accept: { [kind.mime]: [kind.extension] } }];
  try {
    const file = await (await showSaveFilePicker({ suggestedName, types })).createWritable();
    return {
      write: (bytes) => file.write(bytes),
      finish: () => file.close(),
      abort: () => file.abort(),
    };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    // In a frame of another origin, or too late after the click, the dialog is not allowed: download instead.
    if (error instanceof DOMException && error.name === 'SecurityError') return blobSink(suggestedName, kind);
    throw error;
  }
}

/** Each piece becomes a blob at once; browsers move blobs to disk when there are many. */
function blobSink(name: string, { mime }: FileKind): Sink {
  let parts: Blob[] = [];
  return {
    write: async (bytes) => void parts.push(new Blob([bytes])),
    finish: async () => saveBlob(name, new Blob(parts, { type: mime })),
    abort: async () => {
      parts = [];
    },
  };
}
