import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';

/** By its id or its name. @throws not-found with those that there are; conflict where several have the name */
export async function findSandbox(backend: SandboxBackend, which: string): Promise<SandboxInfo> {
  const all = await backend.list();
  const found = all.filter(({ id, name }) => id === which || name === which);
  const [one, other] = found;
  if (one && !other) return one;
  if (one) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new SandboxError('conflict', `Several sandboxes are called ${which}: give one's id, ${ids}`);
  }
  const names = all.map(({ name }) => name);
  const known =
    names.length === 0
      ? 'there is none yet; coppice init makes one'
      : `there are ${names.slice(0, 20).join(', ')}`;
  throw new SandboxError('not-found', `There is no sandbox ${which}: ${known}`);
}
