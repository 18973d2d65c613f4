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
  const stored = workspace.sandboxes.find((sandbox) => sandbox.id === id);
  try {
    const archive = await saveArchive(`${fileName(stored?.name ?? 'sandbox')}.tar`, () =>
      workspace.exportStored(id),
    );
    if (archive !== undefined) workspace.notices.add({ text: summary(archive), tone: 'info' });
  } catch (error) {
    workspace.notices.add({ text: SandboxError.from(error).message, tone: 'error' });
  }
}

function summary({ missing, missingCount }: Archive): string {
  if (missingCount === 0) return 'Saved every file.';
  const more = missingCount > namedPaths ? ` and ${missingCount - namedPaths} more` : '';
  return `Saved what is here. Not in it, because it is only in the image: ${missing.slice(0, namedPaths).join(', ')}${more}.`;
}

function fileName(name: string): string {
  return name.replace(/[^\w.-]+/g, '-');
}
