import { expect } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { serveSite } from './tab/drive-page.ts';
import { openSdkPage } from './tab/sdk-page.ts';
import { test } from './tab/visit-test.ts';

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

test('H-8 an aborted start leaves nothing behind, wherever it is aborted', async ({ context }) => {
  const created = await openSdkPage(context, site.url);
  const { create, left, id } = await created.page.evaluate(async (module) => {
    const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
    /** Everything below the origin's folder for sandboxes. */
    const stored = async () => {
      const names: string[] = [];
      const visit = async (folder: FileSystemDirectoryHandle, path: string): Promise<void> => {
        for await (const [name, handle] of folder) {
          if (`${path}${name}`.startsWith('coppice-kept')) continue;
          if (handle instanceof FileSystemDirectoryHandle) await visit(handle, `${path}${name}/`);
          else names.push(`${path}${name}`);
        }
      };
      await visit(await navigator.storage.getDirectory(), '');
      return names.length;
    };
    const abortedAt = (at: string) => {
      const giveUp = new AbortController();
      const onProgress = ({ stage }: { stage: string }) => {
        if (stage === at) giveUp.abort(stage);
      };
      if (at === 'once') giveUp.abort(at);
      return Sandbox.create({ signal: giveUp.signal, onProgress }).then(
        () => 'no error',
        (error) => `${error.code} ${error.cause}`,
      );
    };
    const create = [await abortedAt('once'), await abortedAt('download'), await abortedAt('restore')];
    const left = { sandboxes: await Sandbox.list(), stored: await stored() };

    const sandbox = await Sandbox.create();
    await sandbox.files.write('/home/user/note', 'kept');
    await sandbox.close();
    return { create, left, id: sandbox.id };
  }, created.module);
  expect(create).toEqual(['aborted once', 'aborted download', 'aborted restore']);
  expect(left).toEqual({ sandboxes: [], stored: 0 });

  // Once a page has had a sandbox open, a machine stands ready, and none is restored at the next start.
  const another = await openSdkPage(context, site.url);
  const { open, note } = await another.page.evaluate(
    async ({ module, id }) => {
      const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
      const giveUp = new AbortController();
      const onProgress = ({ stage }: { stage: string }) => {
        if (stage === 'restore') giveUp.abort(stage);
      };
      const open = await Sandbox.open(id, { signal: giveUp.signal, onProgress }).then(
        () => 'no error',
        (error) => `${error.code} ${error.cause}`,
      );
      const again = await Sandbox.open(id, { signal: new AbortController().signal });
      const note = await again.files.read('/home/user/note');
      await again.close();
      return { open, note };
    },
    { module: another.module, id },
  );
  expect({ open, note }).toEqual({ open: 'aborted restore', note: 'kept' });
});
