import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { readSnapshotFile, writeSnapshotFile } from '../../../sdk/snapshot-file.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { type FileKind, savePieces } from '../files/save-pieces.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import type { Workspace } from '../model/workspace.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { formatBytes } from '../text/format-bytes.ts';

const kind: FileKind = {
  description: 'Snapshot of a sandbox',
  mime: 'application/octet-stream',
  extension: '.coppice',
};

const toldEveryBytes = 8_388_608;

/** Saves a snapshot as one file, with its memory if it has any; without a snapshot, the running machine. */
export async function saveSnapshotFile(
  id: SnapshotId | undefined,
  { pane, workspace }: { pane: SandboxModel; workspace: Workspace },
): Promise<void> {
  const { info } = pane.state;
  if (info === undefined) return;
  const about = {};
  const tell = (done: string): void =>
    workspace.notices.add({
      text: `Saving “${plainLine(info.name, 60)}”: ${done} …`,
      tone: 'info',
      about,
      goesOn: true,
    });
  const saved = await pane.attempt('terminal', (connection) =>
    savePieces(`${info.name}-${id?.slice(0, 10) ?? 'running'}`, {
      kind,
      open: async () => {
        const label = 'saved with running programs';
        tell(id === undefined ? 'its memory and programs' : 'its files');
        const snapshot = id ?? (await connection.history.createSnapshot({ label, memory: true })).id;
        return counted(await writeSnapshotFile(connection, { info, snapshot }), tell);
      },
    }),
  );
  workspace.notices.dismissAbout(about);
  if (saved === undefined) return;
  const text = 'Saved. “Open a snapshot from a file” goes on from it, here or in another browser.';
  workspace.notices.add({ text, tone: 'info' });
}

/** Lets the user pick such a file, and opens its snapshot as a new sandbox. Call it while handling a click. */
export function pickSnapshotFile(workspace: Workspace): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', accept: kind.extension });
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file) void openSnapshotFile(file, workspace);
  });
  input.click();
}

/** Opens it in another pane. Keeps nothing of a file that is refused. */
async function openSnapshotFile(file: File, workspace: Workspace): Promise<void> {
  const name = plainLine(file.name, 60);
  const tell = (text: string, tone: 'info' | 'error' = 'info') => workspace.notices.add({ text, tone });
  if (!workspace.hasRoom()) return;
  tell(`Reading “${name}”, ${formatBytes(file.size)} …`);
  let info: SandboxInfo;
  try {
    info = await readSnapshotFile(piecesOf(file), await workspace.backend);
  } catch (error) {
    return tell(
      `“${name}” was not opened, and nothing of it was kept: ${SandboxError.from(error).message}`,
      'error',
    );
  }
  await workspace.openBeside(info.id, {});
}

/** Tells of each next 8 MiB that have come. */
async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  tell: (done: string) => void,
): AsyncGenerator<Uint8Array, void> {
  let doneBytes = 0;
  let nextBytes = toldEveryBytes;
  for await (const piece of pieces) {
    yield piece;
    doneBytes += piece.length;
    if (doneBytes < nextBytes) continue;
    nextBytes = doneBytes + toldEveryBytes;
    tell(formatBytes(doneBytes));
  }
}

async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array, void> {
  const reader = file.stream().getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel();
  }
}
