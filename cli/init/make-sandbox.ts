import type { Progress } from '../../host/progress.ts';
import type { CreateOptions } from '../../protocol/sandbox/backend.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import type { Place } from '../place/place.ts';

/** The sandboxes of a place that a name or an id means. */
export async function sandboxesCalled(which: string, { backend }: Place): Promise<SandboxInfo[]> {
  return (await backend.list()).filter(({ id, name }) => id === which || name === which);
}

/**
 * Makes a sandbox and, once it is there, deletes those whose place it takes; where that fails it is deleted itself.
 * @throws as `Sandbox.create` and `Sandbox.delete`
 */
export async function makeSandbox(
  { backend }: Place,
  parts: {
    readonly create: CreateOptions;
    readonly replaces: readonly SandboxInfo[];
    readonly progress: Progress;
    readonly signal: AbortSignal;
  },
): Promise<SandboxInfo> {
  const { create, replaces, progress, signal } = parts;
  await using sandbox = await progress.step(`Make ${create.name}`, (report) =>
    Sandbox.create({
      backend,
      signal,
      ...create,
      onProgress: ({ doneBytes, totalBytes, stage }) =>
        doneBytes > 0 || totalBytes > 0 ? report.bytes(doneBytes, totalBytes) : report.detail(stage),
    }),
  );
  const { info } = sandbox;
  try {
    for (const { id } of replaces) await Sandbox.delete(id, { backend });
  } catch (error) {
    await sandbox.close({ discard: true }).catch(() => undefined);
    await Sandbox.delete(info.id, { backend }).catch(() => undefined); // What is to be told is what came before.
    throw error;
  }
  return info;
}
