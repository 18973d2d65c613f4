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
  const { page, module } = await openSdkPage(context, site.url);
  const told = await page.evaluate(async (module) => {
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
    const codeOf = (promise: Promise<unknown>) =>
      promise.then(
        () => 'no error',
        (error) => `${error.code} ${error.cause}`,
      );
    const abortedAt = async (
      stage: string,
      start: (options: {
        signal: AbortSignal;
        onProgress: (progress: { stage: string }) => void;
      }) => Promise<unknown>,
    ) => {
      const giveUp = new AbortController();
      const onProgress = (progress: { stage: string }) => {
        if (progress.stage === stage) giveUp.abort(stage);
      };
      return codeOf(start({ signal: giveUp.signal, onProgress }));
    };
    const create = [
      await codeOf(Sandbox.create({ signal: AbortSignal.abort('at once') })),
      await abortedAt('download', (options) => Sandbox.create(options)),
      await abortedAt('restore', (options) => Sandbox.create(options)),
    ];
    const left = { sandboxes: await Sandbox.list(), stored: await stored() };

    const sandbox = await Sandbox.create();
    await sandbox.files.write('/home/user/note', 'kept');
    await sandbox.close();
    const open = await abortedAt('restore', (options) => Sandbox.open(sandbox.id, options));
    const again = await Sandbox.open(sandbox.id, { signal: new AbortController().signal });
    const note = await again.files.read('/home/user/note');
    await again.close();
    return { create, left, open, note };
  }, module);
  expect(told).toEqual({
    create: ['aborted at once', 'aborted download', 'aborted restore'],
    left: { sandboxes: [], stored: 0 },
    open: 'aborted restore',
    note: 'kept',
  });
});
