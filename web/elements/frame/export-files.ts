import { SandboxError } from '../../../protocol/errors.ts';
import type { TreeRef } from '../../../protocol/sandbox.ts';
import type { Archive } from '../../../sdk/archive.ts';
import { saveArchive } from '../files/save-archive.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import type { Workspace } from '../model/workspace.ts';

/** Missing paths that a notice names. */
const namedPaths = 3;

/** Saves the files of an open sandbox as a tar archive. */
export async function exportFiles(ref: TreeRef, pane: SandboxModel): Promise<void> {
  const name = `${fileName(pane.state.info?.name ?? 'sandbox')}-${ref.slice(0, 10)}.tar`;
  await pane.attempt('terminal', (connection) => saveArchive(name, () => connection.exportTar(ref)));
}

/** Saves what can be read of a sandbox that cannot be opened, and says what could not. */
export async function exportStored(id: string, workspace: Workspace): Promise<void> {
  const name = await storedName(id, workspace);
  try {
    const archive = await saveArchive(`${fileName(name)}.tar`, () => workspace.exportStored(id));
    if (archive !== undefined) workspace.notices.add({ text: summary(archive), tone: 'info' });
  } catch (error) {
    workspace.notices.add({ text: SandboxError.from(error).message, tone: 'error' });
  }
}

/** What was open last is opened without reading which sandboxes there are: here is who needs to know. */
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

function fileName(name: string): string {
  return name.replace(/[^\w.-]+/g, '-');
}
