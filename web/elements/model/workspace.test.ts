import { expect, test } from 'vitest';
import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { CloseOptions } from '../../../protocol/sandbox/connection.ts';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { quietSandbox } from '../../../test/fixtures/connection-double.ts';
import type { HostPlace } from './host-place.ts';
import { type OpenSandbox, Workspace } from './workspace.ts';

/** A host of one sandbox that refuses whoever comes, until it is told otherwise. */
class Guarded implements HostPlace {
  readonly name: string = 'host';
  readonly url: string = 'http://127.0.0.1:7070';
  refusal: SandboxError | undefined = new SandboxError('unauthenticated', 'The token is not valid');
  readonly opened: boolean[] = [];

  async images() {
    return [];
  }

  async connect(): Promise<SandboxBackend> {
    if (this.refusal) throw this.refusal;
    const connection = quietSandbox('one');
    const open: SandboxBackend['open'] = async ({ readOnly = false }) => {
      this.opened.push(readOnly);
      return connection;
    };
    return { open } as unknown as SandboxBackend;
  }
}

test('B-9 panes that a host refused open once it lets us in, and those of others stay as they are', async () => {
  const workspace = new Workspace(new Promise(() => undefined), () => undefined);
  const [host, other] = [new Guarded(), new Guarded()];
  const pane = await workspace.openBeside('one', { host });
  const elsewhere = await workspace.openBeside('one', { host: other });
  expect([pane?.state.phase, elsewhere?.state.phase]).toEqual(['failed', 'failed']);
  host.refusal = undefined;
  other.refusal = undefined;
  workspace.reopenLost(host);
  pane?.noteShell();
  await expect.poll(() => pane?.state.history).toBeDefined();
  expect([pane?.state.phase, elsewhere?.state.phase]).toEqual(['ready', 'failed']);
  workspace.reopenLost(host);
  expect([host.opened, other.opened]).toEqual([[false], []]);
});

test('B-4 a fork of what runs is shown in the width that its screen was written for, before it gets its own', async () => {
  const forkRunning = async () => ({ id: 'two', name: 'one fork' }) as SandboxInfo;
  const connection = quietSandbox('one', { forkRunning });
  const backend = { open: async () => connection } as unknown as SandboxBackend;
  const workspace = new Workspace(Promise.resolve(backend), () => undefined);
  const opening = workspace.openBeside('one', {});
  const [pane] = workspace.panes;
  pane?.noteShell();
  await opening;
  pane?.noteTerminalSize({ columns: 90, rows: 30 });
  const forking = pane && workspace.forkRunning(pane);
  await expect.poll(() => workspace.panes.length).toBe(2);
  workspace.panes[1]?.noteShell();
  await forking;
  expect(workspace.panes[1]?.takeShownSize()).toEqual({ columns: 90, rows: 30 });
  expect(workspace.panes[1]?.takeShownSize()).toBeUndefined();
});

test('H-4 who gives up the changes that kept a pane open has what they wanted to open, and never no pane', async () => {
  const unsaved = new SandboxError('storage-full', 'It is full', {
    details: { unsaved: true, why: 'no room' },
  });
  const close = async ({ discard = false }: CloseOptions = {}) => {
    if (!discard) throw unsaved;
  };
  const backend = {
    open: async ({ id }: { id: string }) => quietSandbox(id, id === 'one' ? { close } : {}),
  } as unknown as SandboxBackend;
  const workspace = new Workspace(Promise.resolve(backend), () => undefined);
  const opening = workspace.openBeside('one', {});
  workspace.panes[0]?.noteShell();
  await opening;
  const names = () => workspace.panes.map(({ state }) => state.info?.id);
  await workspace.replace('two');
  expect(names()).toEqual(['one']);
  workspace.notices.shown[0]?.action?.run();
  await expect.poll(names).toEqual(['two']);
});

test('B-9 a pane of a host is there again after a reload, and stays in what is remembered while that does not answer', async () => {
  const remembered: (readonly OpenSandbox[])[] = [];
  const here = quietSandbox('here');
  const backend = { open: async () => here } as unknown as SandboxBackend;
  const workspace = new Workspace(Promise.resolve(backend), (open) => void remembered.push(open));
  const host = new Guarded();
  const reached = Promise.withResolvers<HostPlace>();
  const open = [{ id: 'one', host: host.url }, { id: 'here' }];
  void workspace.restore(open, { reachHost: () => reached.promise });
  workspace.panes[0]?.noteShell();
  await expect.poll(() => workspace.panes[0]?.state.history).toBeDefined();
  // Its code is not loaded yet.
  expect(remembered.at(-1)).toEqual([{ id: 'here' }, { id: 'one', host: host.url }]);
  reached.resolve(host);
  await expect.poll(() => workspace.panes[1]?.state.failure?.code).toBe('unauthenticated');
  expect(remembered.at(-1)).toEqual([{ id: 'here' }, { id: 'one', host: host.url }]);
  host.refusal = undefined;
  workspace.reopenLost(host);
  workspace.panes[1]?.noteShell();
  await expect.poll(() => workspace.panes[1]?.state.history).toBeDefined();
  expect(host.opened).toEqual([false]);
});

test('B-9 an address that names no bridge opens nothing there, and the tab all the same', async () => {
  const backend = { open: async () => quietSandbox('here') } as unknown as SandboxBackend;
  const list = async () => [{ id: 'here', createdAtMs: 1 }];
  const workspace = new Workspace(Promise.resolve({ ...backend, list }) as never, () => undefined);
  void workspace.restore([{ id: 'one', host: 'file:///etc' }], { reachHost: async () => undefined });
  await expect.poll(() => workspace.panes.length).toBe(1);
  expect(workspace.panes[0]?.host).toBeUndefined();
  expect(workspace.notices.shown.map(({ text }) => text)).toEqual([
    'Sandbox one on file:///etc cannot be opened: that is no bridge.',
  ]);
  for (const { key } of workspace.notices.shown) workspace.notices.dismiss(key);
});
