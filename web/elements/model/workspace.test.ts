import { expect, test } from 'vitest';
import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { CloseOptions } from '../../../protocol/sandbox/connection.ts';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { quietSandbox } from '../../../test/fixtures/connection-double.ts';
import type { HostPlace } from './host-place.ts';
import { Workspace } from './workspace.ts';

/** A host of one sandbox that refuses whoever comes, until it is told otherwise. */
class Guarded implements HostPlace {
  readonly name: string = 'host';
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
