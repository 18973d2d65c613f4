import { expect, test, vi } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import { SerialQueue } from '../serial-queue.ts';
import { type KeptMachineParts, MachineState } from './machine-state.ts';

test('B-4 S-3 shells go back with the files of a checkpoint also where its machine cannot go on', async () => {
  const failure = new SandboxError('machine-failed', 'Cannot restore the machine: it does not answer');
  const head = 'a'.repeat(64);
  const onRestored = vi.fn();
  const live = {
    ...{ take: () => ({ tree: {} }), has: () => true, keepOnly: () => undefined },
    ...{ restore: () => Promise.reject(failure), usedBytes: 0, tracking: 'marks' },
  };
  await using state = new MachineState({
    ...{ store: new MemoryStore(), history: { head, has: () => true }, serial: new SerialQueue() },
    ...{ machine: { live, sync: async () => true }, capturer: { capture: async () => ({ id: head }) } },
    ...{ snapshotter: { goOnFrom: () => undefined }, tree: { rearm: () => undefined } },
    ...{ commands: { isRunning: false }, events: { emit: () => undefined }, onRestored },
  } as unknown as KeptMachineParts);
  const checkpoint = state.checkpoints.take({ type: 'command', command: 'make' });
  await expect(state.restore(checkpoint?.id ?? 0)).rejects.toBe(failure);
  expect(onRestored).toHaveBeenCalledWith(head);
});
