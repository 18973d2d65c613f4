import { askSandbox } from '../../protocol/ask-sandbox.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';

/** It is the user's, where its host knows users; what is there already stays as it is. @throws invalid-argument where it is a file */
export async function makeWorkingDirectory(sandbox: SandboxConnection, path: string): Promise<void> {
  const there = await sandbox.files.stat({ path }).catch(() => undefined);
  if (there?.type === 'directory') return;
  await sandbox.files.makeDirectory({ path });
  const script = 'chown user: "$1" || :';
  const timeoutMs = limits.workspaceStepTimeoutMs;
  await askSandbox(sandbox, { script, args: [path], user: 'root', timeoutMs });
}
