import { expect, test } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { prompt, row, serveSite, shows, type } from './tab/drive-page.ts';
import { openSdkPage } from './tab/sdk-page.ts';

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

test('S-1 B-3 a shell in the tab runs bash without an image, goes back, and is there after a reload', async ({
  context,
}) => {
  const { page, module } = await openSdkPage(context, site.url);
  const fetched: string[] = [];
  context.on('request', (request) => fetched.push(new URL(request.url()).pathname));
  const id = await page.evaluate(async (module) => {
    const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
    const sandbox = await Sandbox.create({ runtime: 'shell' });
    const script =
      'f() { sort -r "$@" | head -n 1; }; seq 9 12 > list; f list; echo "{\\"a\\": [1, 2]}" | jq -c .a';
    const first = await sandbox.run(script);
    const { id: before } = await sandbox.createSnapshot();
    await sandbox.run('rm list; while :; do :; done', { timeoutMs: 300 });
    await sandbox.checkout(before);
    const after = await sandbox.run('cat list; awk "{ sum += \\$1 } END { print sum }" list');
    await sandbox.close();
    return { id: sandbox.id, first, after: after.stdout };
  }, module);
  expect(id).toMatchObject({ first: { stdout: '9\n[1,2]\n', exitCode: 0 }, after: '9\n10\n11\n12\n42\n' });
  expect(fetched.filter((path) => path.includes('/images/'))).toEqual([]);

  await page.reload();
  const again = await page.evaluate(
    async ({ module, id }) => {
      const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
      await using sandbox = await Sandbox.open(id);
      return (await sandbox.run('tail -n 1 list')).stdout;
    },
    { module, id: id.id },
  );
  expect(again).toBe('12\n');
});

test('S-1 jq, sqlite3 and js run in the tab, in workers of their own that are ended with their command', async ({
  context,
}) => {
  const { page, module } = await openSdkPage(context, site.url);
  const ran = await page.evaluate(async (module) => {
    const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
    await using sandbox = await Sandbox.create({ runtime: 'shell' });
    const script = `sqlite3 x.db 'create table t(a); insert into t values(20), (22)'
      sqlite3 -json x.db 'select sum(a) as sum from t' | jq -c '.[0] | walk(.)'
      js -e 'require("fs").writeFileSync("from-js", String(6 * 7))'; cat from-js`;
    const { stdout } = await sandbox.run(script);
    const endless = ["jq -n 'def f: f; f'", "js -e 'for (;;);'"].map((command) =>
      sandbox.run(command, { timeoutMs: 500 }),
    );
    const ended = (await Promise.all(endless)).map(({ reason }) => reason);
    return { stdout, ended, after: (await sandbox.run('jq -n 1')).stdout };
  }, module);
  expect(ran).toEqual({ stdout: '{"sum":42}\n42', ended: ['timeout', 'timeout'], after: '1\n' });
});

test('S-1 R-3 a new shell is chosen on the page, has a terminal, and what is typed becomes history', async ({
  page,
}) => {
  await page.goto(`${site.url}?start=machine`);
  await prompt(page);
  await page.getByRole('button', { name: /^Commands/ }).click();
  await page.keyboard.type('new shell');
  await page.keyboard.press('Enter');
  // The machine is gone, and its terminal with it.
  await expect(page.getByText('image debian')).toBeHidden();
  await prompt(page);
  await type(page, 'echo "$BASH_VERSION in $(hostname); $(uname -m)"; type -t awk; no-such');
  await shows(page, /5\.2\.\S+ in coppice[\s\S]*no-such: command not found/);
  await type(page, 'for n in one two; do echo $n > $n.txt; done; ls');
  await shows(page, /one\.txt\s*two\.txt\s*user@/);
  await expect(row(page, /for n in one two/)).toBeVisible();
});
