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

test('I-4 a session in the tab has the same paths, and is dropped, refused or kept', async ({ context }) => {
  const { page, module } = await openSdkPage(context, site.url);
  const told = await page.evaluate(async (module) => {
    const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
    const sandbox = await Sandbox.create();
    const made = 'mkdir /workspace && chown user: /workspace && echo one > /workspace/file';
    await sandbox.run(made, { user: 'root' });
    const look = async () => (await sandbox.run('cat /workspace/file')).stdout;

    const dropped = await sandbox.session();
    await dropped.sandbox.run('echo dropped > /workspace/file', { user: 'root' });
    const changed = (await dropped.changes()).map(({ path }) => path);
    await dropped.drop();
    const afterDrop = await look();

    const kept = await sandbox.session();
    await kept.sandbox.run('echo kept > /workspace/file', { user: 'root' });
    await sandbox.run('echo else > ~/note');
    const refusal = await kept.keep().then(
      () => 'kept',
      ({ code }) => code,
    );
    await sandbox.checkout(kept.base);
    await kept.keep();
    const afterKeep = await look();
    const { length } = await Sandbox.list();
    await sandbox.close();
    return { changed, afterDrop, refusal, afterKeep, sandboxes: length };
  }, module);
  expect(told).toEqual({
    changed: ['/workspace/file'],
    afterDrop: 'one\n',
    refusal: 'conflict',
    afterKeep: 'kept\n',
    sandboxes: 1,
  });
});
