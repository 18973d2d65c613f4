import { expect } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { serveSite } from './tab/drive-page.ts';
import { killTab, openSdkPage } from './tab/sdk-page.ts';
import { test } from './tab/visit-test.ts';

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

test('R-4 two tabs on one history: the second is told, may look or fork, and takes over when the first is gone', async ({
  context,
}) => {
  const first = await openSdkPage(context, site.url);
  await first.page.evaluate(async (module) => {
    const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
    const sandbox = await Sandbox.create();
    await sandbox.run('echo by the first > ~/note');
    await sandbox.createSnapshot({ label: 'first' });
  }, first.module);

  const second = await openSdkPage(context, site.url);
  const told = await second.page.evaluate(async (module) => {
    const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
    const [info] = await Sandbox.list();
    if (!info) throw new Error('There is no sandbox');
    const codeOf = (promise: Promise<unknown>) =>
      promise.then(
        () => 'no error',
        (error) => error.code as string,
      );
    const open = await codeOf(Sandbox.open(info.id));

    const looking = await Sandbox.open(info.id, { readOnly: true });
    const head = await looking.history.head();
    const note = await looking.run('cat ~/note; echo no >> ~/note');
    const write = await codeOf(looking.files.write('/home/user/note', 'no'));
    await looking.close();

    const fork = await Sandbox.create({ from: { sandbox: info.id, snapshot: head } });
    await fork.run('echo by the second >> ~/note');
    const forked = await fork.files.read('/home/user/note');
    await fork.close();
    return {
      open,
      read: note.stdout,
      refused: note.stderr,
      write,
      forked,
      count: (await Sandbox.list()).length,
    };
  }, second.module);
  expect(told).toEqual({
    open: 'busy',
    read: 'by the first\n',
    refused: expect.stringContaining('Read-only file system'),
    write: 'read-only',
    forked: 'by the first\nby the second\n',
    count: 2,
  });

  await killTab(context, first.page);
  const after = await second.page.evaluate(async (module) => {
    const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
    const [info] = await Sandbox.list();
    const sandbox = await Sandbox.open(info?.id ?? '');
    const { stdout } = await sandbox.run('echo by the second after all >> ~/note; cat ~/note');
    await sandbox.close();
    return stdout;
  }, second.module);
  expect(after).toBe('by the first\nby the second after all\n');
});
