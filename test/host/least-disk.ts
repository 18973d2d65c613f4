import { expect } from 'vitest';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { Sandbox } from '../../sdk/sandbox.ts';

/** The least disk that a sandbox of the image can have, MiB: images grow with their packages. */
export async function leastDiskMiB(backend: SandboxBackend): Promise<number> {
  const error = await Sandbox.create({ diskMiB: 64, backend }).catch((cause) => cause);
  expect(error).toMatchObject({ code: 'invalid-argument', details: { name: 'diskMiB' } });
  return error.details.min;
}
