import { expect, test, vi } from 'vitest';
import { SandboxError } from '../../../protocol/errors.ts';
import type { CreateOptions, SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { ProgressListener } from '../../../protocol/sandbox/progress.ts';
import { quietSandbox } from '../../../test/fixtures/connection-double.ts';
import type { WhenShellFirst } from './shell-first.ts';
import { Workspace } from './workspace.ts';

// Progress is drawn once in a frame.
vi.stubGlobal('requestAnimationFrame', (draw: () => void) => queueMicrotask(draw));

/** A browser's storage and backend: shells are there at once, and a machine when the test says so. */
function openVisit({
  stored = [],
  when = 'always',
}: {
  readonly stored?: readonly string[];
  readonly when?: WhenShellFirst;
} = {}) {
  const machine = Promise.withResolvers<SandboxConnection>();
  const remembered: (readonly string[])[] = [];
  const deleted: string[] = [];
  const closed: string[] = [];
  let unclaimed: readonly string[] = stored;
  const open = (id: string): SandboxConnection =>
    quietSandbox(id, {
      close: async () => {
        closed.push(id);
      },
    });
  const backend = {
    list: async () => unclaimed.map((id) => ({ id, name: id, createdAtMs: 0 })),
    create: async (
      { runtime, signal }: CreateOptions & { readonly signal?: AbortSignal },
      onProgress: ProgressListener,
    ) => {
      if (runtime === 'shell') return open('shell');
      const progress = { stage: 'download', doneBytes: 100, totalBytes: 1_000, elapsedMs: 0 } as const;
      queueMicrotask(() => onProgress(progress));
      signal?.addEventListener('abort', () => machine.reject(new SandboxError('aborted', 'aborted')));
      return machine.promise;
    },
    delete: async ({ id }: { readonly id: string }) => {
      if (id === 'elsewhere') throw new SandboxError('busy', 'another tab has it open');
      deleted.push(id);
    },
  } as unknown as SandboxBackend;
  const workspace = new Workspace(
    Promise.resolve(backend),
    (open) => void remembered.push(open.map(({ id }) => id)),
    {
      read: () => unclaimed,
      write: (ids) => {
        unclaimed = ids;
      },
    },
  );
  const restoring = workspace.restore([], { shellFirst: Promise.resolve(when) });
  const shellIsOpen = async (): Promise<void> => {
    // It is opened when the machine has shown to be slow.
    await expect.poll(() => workspace.active?.connection).toBeDefined();
    workspace.active?.noteShell();
    await expect.poll(() => workspace.active?.state.info?.id).toBe('shell');
  };
  return {
    ...{ workspace, restoring, shellIsOpen, remembered, deleted, closed },
    endMachine: machine,
    machineIsReady: () => machine.resolve(open('machine')),
    unclaimed: () => unclaimed,
  };
}

test('S-1 a machine takes the place of a shell that nobody has used, which is deleted and was never remembered', async () => {
  const visit = openVisit();
  await visit.shellIsOpen();
  expect(visit.workspace.active?.state.machine?.stage).toBe('loading');
  expect(visit.remembered).toEqual([]);
  visit.machineIsReady();
  await expect.poll(() => visit.closed).toEqual(['shell']);
  visit.workspace.active?.noteShell();
  await visit.restoring;
  expect(visit.workspace.panes.map(({ state }) => state.info?.id)).toEqual(['machine']);
  await expect.poll(() => visit.remembered.at(-1)).toEqual(['machine']);
  expect(visit.remembered.flat()).not.toContain('shell');
  await visit.workspace.shellFirst.deleteUnclaimed();
  expect(visit.deleted).toEqual(['shell']);
  expect(visit.unclaimed()).toEqual([]);
});

test('S-1 a shell in which something was typed stays, is remembered, and offers the machine, which goes when it is not wanted', async () => {
  const visit = openVisit();
  await visit.shellIsOpen();
  const shell = visit.workspace.active;
  shell?.noteUse();
  await expect.poll(() => visit.remembered.at(-1)).toEqual(['shell']);
  visit.machineIsReady();
  await expect.poll(() => shell?.state.machine?.stage).toBe('ready');
  await visit.restoring;
  expect(visit.workspace.active).toBe(shell);
  // It is held, and so not deleted with what nobody uses.
  await visit.workspace.shellFirst.deleteUnclaimed();
  expect([visit.unclaimed(), visit.deleted]).toEqual([['machine'], []]);
  if (shell !== undefined) await visit.workspace.shellFirst.dismissMachine(shell);
  expect([visit.closed, visit.deleted]).toEqual([['machine'], ['machine']]);
  expect(shell?.state.machine).toBeUndefined();
});

test('S-1 a machine that cannot be loaded leaves the shell, says so, and is loaded again when that is asked for', async () => {
  const visit = openVisit();
  await visit.shellIsOpen();
  visit.endMachine.reject(new SandboxError('asset-unavailable', 'Cannot load the image'));
  await visit.restoring;
  const shell = visit.workspace.active;
  expect(shell?.state.machine).toMatchObject({ stage: 'failed', error: { code: 'asset-unavailable' } });
  if (shell !== undefined) visit.workspace.shellFirst.loadMachine(shell);
  expect(shell?.state.machine?.stage).toBe('loading');
});

test('S-1 a visit that was closed before anything was typed leaves nothing that the next one opens or keeps', async () => {
  const visit = openVisit({ stored: ['left', 'elsewhere'] });
  await visit.shellIsOpen();
  expect(visit.workspace.sandboxes.map(({ id }) => id)).not.toContain('left');
  visit.machineIsReady();
  await expect.poll(() => visit.closed).toEqual(['shell']);
  visit.workspace.active?.noteShell();
  await visit.restoring;
  await visit.workspace.shellFirst.deleteUnclaimed();
  expect(visit.deleted).toEqual(['left', 'shell']);
  // Another tab has it open.
  expect(visit.unclaimed()).toEqual(['elsewhere']);
});

test('S-1 the start of a machine ends with the shell that is closed for another sandbox', async () => {
  const visit = openVisit();
  await visit.shellIsOpen();
  void visit.workspace.replace(undefined, { runtime: 'shell' });
  await expect(visit.endMachine.promise).rejects.toThrow('aborted');
  await visit.restoring;
});

test('S-1 a machine that is there soon comes without a shell; one that is not leaves room for it', async () => {
  const soon = openVisit({ when: 'if-slow' });
  soon.machineIsReady();
  await expect.poll(() => soon.workspace.active?.connection).toBeDefined();
  soon.workspace.active?.noteShell();
  await soon.restoring;
  expect([soon.workspace.active?.state.info?.id, soon.unclaimed(), soon.closed]).toEqual(['machine', [], []]);
  await expect.poll(() => soon.remembered.at(-1)).toEqual(['machine']);
  const late = openVisit({ when: 'if-slow' });
  await late.shellIsOpen();
  expect(late.workspace.active?.state.machine?.stage).toBe('loading');
});
