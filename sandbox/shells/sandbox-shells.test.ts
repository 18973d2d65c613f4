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
    ...{
      begun: async () => undefined,
      assertOpen: () => undefined,
      onChange: () => undefined,
      idleMs: 60_000,
    },
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

test.each([
  { files: '0 1 2 3', jobs: '', ends: 1 },
  { files: '0 1 2 3 4', jobs: '', ends: 0 },
  { files: '0 1 2 3', jobs: '9', ends: 0 },
])(
  'S-3 a bash that waits ends if it has nothing but its state: $files, jobs "$jobs"',
  async ({ files, jobs, ends }) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const closeStdin = vi.fn(async () => {});
    const encode = (text: string) => new TextEncoder().encode(text);
    let writes = 0;
    const shells = shellsOn(async (_, listener) => {
      const report = (number: number) =>
        [number, 0, '/', '', jobs, ...Array(7).fill('')].map((text) => `${text}\0`).join('');
      const write = async () => {
        writes++;
        if (writes === 3) await listener({ type: 'stdout', bytes: encode(files.replaceAll(' ', '\n')) });
        if (writes > 1) await listener({ type: 'status', bytes: encode(report(writes - 1)) });
      };
      return { ...handle, write, closeStdin };
    });
    await shells.open({});
    await vi.advanceTimersByTimeAsync(59_000);
    expect([writes, closeStdin.mock.calls.length]).toEqual([2, 0]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(closeStdin).toHaveBeenCalledTimes(ends);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(closeStdin).toHaveBeenCalledTimes(ends);
  },
);
