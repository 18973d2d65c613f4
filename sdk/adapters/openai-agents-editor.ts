import { applyDiff, type Editor } from '@openai/agents-core';
import type { Sandbox } from '../sandbox.ts';
import { errorForModel } from './define-tool.ts';
import { parentDirectory } from './parent-directory.ts';
import { readTextFile } from './read-text-file.ts';
import { SandboxSteps } from './sandbox-steps.ts';
import { shortId } from './short-id.ts';
import { writeFile } from './write-file.ts';

type Answer = Awaited<ReturnType<Editor['createFile']>>;

/** What `apply_patch` does to a sandbox's files; each operation is a step. Relative paths begin at `root`. */
export function createEditor(sandbox: Sandbox, root: string): Editor {
  const steps = SandboxSteps.of(sandbox);
  const edit = async (path: string, change: (file: string) => Promise<unknown>): Promise<Answer> => {
    const file = await steps.resolve(path, root);
    try {
      const { snapshot, unsaved } = await steps.take(() => change(file), {
        label: `edit ${file}`,
        tool: 'apply_patch',
      });
      const output = snapshot ? `Snapshot: ${shortId(snapshot)}` : `No snapshot: ${unsaved}`;
      return { status: 'completed', output };
    } catch (cause) {
      return { status: 'failed', output: errorForModel(cause) };
    }
  };
  return {
    createFile: ({ path, diff }) =>
      edit(path, (file) => writeFile(sandbox, file, applyDiff('', diff, 'create'))),
    updateFile: ({ path, diff, moveTo }) =>
      edit(path, async (file) => {
        const text = applyDiff(await readTextFile(sandbox, file), diff);
        await sandbox.files.write(file, text);
        if (moveTo === undefined) return;
        const target = await steps.resolve(moveTo, root);
        await sandbox.files.makeDirectory(parentDirectory(target));
        await sandbox.files.rename(file, target);
      }),
    deleteFile: ({ path }) => edit(path, (file) => sandbox.files.remove(file)),
  };
}
