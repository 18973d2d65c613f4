import { expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import type { ProcessStarter } from '../machine/machine-ports.ts';
import { SandboxShells, type SandboxShellsParts } from './sandbox-shells.ts';
import { newState } from './shell-state.ts';
import { encodeShells, shellsExtension } from './shells-extension.ts';

/** Shells of a machine that starts processes so. */
function shellsOn(start: ProcessStarter['start'], read: SandboxShellsParts['read'] = () => undefined) {
  return new SandboxShells({
    ...{ machine: { running: async () => ({ processes: { start } }) }, settings: {}, read },
    ...{ begun: async () => undefined, assertOpen: () => undefined, onChange: () => undefined },
  } as unknown as SandboxShellsParts);
}

const handle = { pid: 7, closeStdin: async () => {}, resize: async () => {}, kill: async () => {} };

test('S-3 a shell whose bash does not answer is given up and ended, and others can be opened', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const kill = vi.fn(async () => {});
  const shells = shellsOn(async () => ({ ...handle, write: async () => {}, kill }));
  for (let round = 1; round <= 2; round++) {
    const opening = Promise.allSettled(Array.from({ length: limits.shells }, () => shells.open({})));
    await vi.advanceTimersByTimeAsync(limits.shellOpenTimeoutMs);
    const late = { status: 'rejected', reason: expect.objectContaining({ code: 'timeout' }) };
    expect(await opening).toEqual(Array(limits.shells).fill(late));
    expect(kill).toHaveBeenCalledTimes(round * limits.shells);
  }
});

test('S-3 B-4 a shell of a restored machine is where the snapshot has it, before it runs anything', async () => {
  const stored = new Map<string, Uint8Array>();
  const shells = shellsOn(
    async (_, listener) => {
      let writes = 0;
      const write = async () => {
        const report = ['1', '0', '/now', ...Array(9).fill('')].map((text) => `${text}\0`).join('');
        if (++writes === 2) await listener({ type: 'status', bytes: new TextEncoder().encode(report) });
      };
      return { ...handle, write };
    },
    (id) => stored.get(id),
  );
  const { id, user, cwd } = await shells.open({});
  expect(cwd).toBe('/now');
  const { extension, objects } = encodeShells([{ id, user, state: newState({ cwd: '/then' }) }]);
  for (const object of objects) stored.set(object.id, object.bytes);
  const record = { extensions: { [shellsExtension]: extension } };
  shells.onRestored(record);
  expect(await shells.list()).toMatchObject([{ id, cwd: '/then' }]);
  expect(shells.saved()?.extensions).toEqual(record.extensions);
});
