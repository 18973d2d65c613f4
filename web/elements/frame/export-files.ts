import { SandboxError } from '../../../protocol/errors.ts';
import type { TreeRef } from '../../../protocol/sandbox/refs.ts';
import type { ArchiveReader } from '../../../protocol/sandbox/transfer.ts';
import { Archive } from '../../../sdk/archive.ts';
import { type FileKind, savePieces } from '../files/save-pieces.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import type { Workspace } from '../model/workspace.ts';

const kind: FileKind = { description: 'Tar archive', mime: 'application/x-tar', extension: '.tar' };

/** Missing paths that a notice names. */
const namedPaths = 3;

/** Saves the files of an open sandbox as a tar archive. */
export async function exportFiles(ref: TreeRef, pane: SandboxModel): Promise<void> {
  const name = `${pane.state.info?.name ?? 'sandbox'}-${ref.slice(0, 10)}`;
  await pane.attempt('terminal', (connection) =>
    saveArchive(name, () => connection.transfer.exportTar({ at: ref })),
  );
}

/** Saves the readable files of a sandbox that cannot be opened, and lists the others. */
export async function exportStored(id: string, workspace: Workspace): Promise<void> {
  const name = await storedName(id, workspace);
  try {
    const archive = await saveArchive(name, () => workspace.exportStored(id));
    if (archive !== undefined) workspace.notices.add({ text: summary(archive), tone: 'info' });
  } catch (error) {
    workspace.notices.add({ text: SandboxError.from(error).message, tone: 'error' });
  }
}

/** The sandbox that was open last is opened without reading the list of sandboxes, which is needed here. */
async function storedName(id: string, workspace: Workspace): Promise<string> {
  const find = () => workspace.sandboxes.find((sandbox) => sandbox.id === id);
  if (find() === undefined) await workspace.refresh();
  return find()?.name ?? `sandbox-${id.slice(0, 8)}`;
}

function summary({ missing, missingCount }: Archive): string {
  if (missingCount === 0) return 'Saved every file.';
  const more = missingCount > namedPaths ? ` and ${missingCount - namedPaths} more` : '';
  return `Saved what could be read. Not in it, because it is missing or damaged: ${missing.slice(0, namedPaths).join(', ')}${more}.`;
}

/** Answers the archive, which lists what is missing; `undefined` if the user picked no file. */
function saveArchive(name: string, open: () => Promise<ArchiveReader>): Promise<Archive | undefined> {
  return savePieces(name, { kind, open: async () => new Archive(await open()) });
}
