import { expect } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { serveSite } from './tab/drive-page.ts';
import { openSdkPage } from './tab/sdk-page.ts';
import { test } from './tab/visit-test.ts';

/** Less than is stored already: what the page clears away meanwhile makes no room. */
const quotaBytes = 1;

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

test('H-4 quota exceeded: capture stops and says so, the guest sees a full disk, nothing saved is touched; with space it resumes', async ({
  context,
}) => {
  const { page, module } = await openSdkPage(context, site.url);
  const devtools = await context.newCDPSession(page);
  const origin = new URL(site.url).origin;
  const sandbox = await page.evaluateHandle(async (module) => {
    const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
    const sandbox = await Sandbox.create();
    const events: string[] = [];
    await sandbox.subscribe(({ type }) => events.push(type));
    await sandbox.run('echo saved > ~/saved');
    const { id } = await sandbox.createSnapshot({ label: 'saved' });
    return { sandbox, events, id };
  }, module);
  const count = (type: string) =>
    sandbox.evaluate(({ events }, type) => events.filter((one) => one === type).length, type);

  await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: quotaBytes });
  await sandbox.evaluate(({ sandbox }) => sandbox.run('head -c 8000000 /dev/urandom > ~/large'));
  await expect.poll(() => count('capture-stopped')).toBeGreaterThan(0);
  const full = await sandbox.evaluate(async ({ sandbox, id }) => ({
    stopped: (await sandbox.storage()).stopped?.message,
    create: await sandbox.createSnapshot().catch((error) => error.code),
    saved: await sandbox.files.read('/home/user/saved', { at: id }),
    now: (await sandbox.run('cat ~/saved')).stdout,
    more: (await sandbox.run('dd if=/dev/zero of=more bs=64k count=1 conv=fsync')).stderr,
  }));
  expect(full).toEqual({
    stopped: expect.stringMatching(/^Cannot .*: the storage is full$/),
    create: 'storage-full',
    saved: 'saved\n',
    now: 'saved\n',
    more: expect.stringContaining('No space left on device'),
  });

  await devtools.send('Storage.overrideQuotaForOrigin', { origin });
  await sandbox.evaluate(({ sandbox }) => sandbox.history.collectGarbage());
  await expect.poll(() => count('capture-resumed')).toBe(1);
  const after = await sandbox.evaluate(async ({ sandbox }) => {
    await sandbox.run('echo after > ~/after');
    const { id } = await sandbox.createSnapshot();
    const text = await sandbox.files.read('/home/user/after', { at: id });
    const { stopped } = await sandbox.storage();
    await sandbox.close();
    return { text, stopped };
  });
  expect(after).toEqual({ text: 'after\n', stopped: undefined });
});
