import { expect } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { inLongRun } from '../runs-long.ts';
import { prompt, promptAgain, row, screen, serveSite, shows, type, untilStored } from './tab/drive-page.ts';
import { offlineTest, test } from './tab/visit-test.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

let site: StaticServer;

test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

offlineTest(
  'B-1 B-2 B-3 R-3 P-7: boot, work, break, go back, reload, go offline, and all is there; without a network a new one starts',
  async ({ page, context }) => {
    await page.goto(site.url);
    await prompt(page);

    await type(page, 'python3 -c "print(6*7)"');
    await shows(page, '42');
    await type(
      page,
      'git init -q p && cd p && echo hi > a && git add a && git -c user.name=a -c user.email=a@b commit -qm first && git log --format=commit-%s',
    );
    await shows(page, 'commit-first');
    await type(page, "echo 'int main(){return 7;}' > a.c && tcc -o a.out a.c; ./a.out; echo exit-$?");
    await shows(page, 'exit-7');
    await expect(row(page, /tcc -o a.out/)).toBeVisible();

    await type(page, 'touch before && echo mark-$((1+1))');
    await shows(page, 'mark-2');
    await expect(row(page, /^touch before/)).toBeVisible();

    await type(page, 'su -c "rm -rf /usr/bin /usr/lib/git-core"; echo broken-$((1+2))');
    await shows(page, 'broken-3');
    await expect(row(page, /rm -rf \/usr\/bin/)).toBeVisible();
    await row(page, /^touch before/).click();
    await page.getByRole('combobox', { name: 'What goes back' }).selectOption('files only');
    await page.getByRole('button', { name: 'Go back' }).click();
    await expect(screen(page)).toContainText(/programs started anew[\s─]*user@coppice:~\$/);
    await type(page, 'git --version && ls p/a.c && echo back-$((2+3))');
    await shows(page, 'back-5');

    await page.reload();
    await promptAgain(page);
    await expect(row(page, /rm -rf \/usr\/bin/)).toBeVisible();
    await type(page, 'cat p/a && echo reloaded-$((3+4))');
    await shows(page, 'reloaded-7');

    await expect(page.getByText('offline ready')).toBeVisible();
    await context.setOffline(true);
    await page.reload();
    await promptAgain(page);
    await type(page, 'ls p && echo offline-$((4+5))');
    await shows(page, 'offline-9');
    await expect(row(page, /^touch before/)).toBeVisible();
    const stdout = await page.evaluate(async (module) => {
      const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
      await using sandbox = await Sandbox.create();
      return (await sandbox.run('cd / && echo new; ls -d home')).stdout;
    }, `${site.url}coppice.js`);
    expect(stdout).toBe('new\nhome\n');
  },
);

test('B-1 R-3 H-9 a first visit: the shell has the size of its screen, typed-ahead lines have their names, and no output locks the user out', async ({
  page,
}) => {
  await page.goto(site.url);
  await prompt(page);
  const rows = await screen(page).locator('> div').count();
  await page.keyboard.type('stty size\n');
  await shows(page, new RegExp(`stty size\\s*${rows} \\d+`));

  const lines = ['mkdir project && cd project', 'git init', "echo 'int main(){return 7;}' > main.c"];
  await page.keyboard.type(lines.map((line) => `${line}\n`).join(''));
  await expect(row(page, /int main/)).toBeVisible();
  // However quickly they follow each other, each has its own.
  for (const line of lines)
    await expect(page.getByRole('treeitem').getByText(line, { exact: true })).toHaveCount(1);

  await type(page, "printf 'A\\033[2147483647b'; echo; touch after");
  await expect(row(page, /touch after/)).toBeVisible();
  await untilStored(page);
  await page.reload();
  await promptAgain(page);
  await shows(page, 'AAAAAAAAAA');
});

test('R-3 B-8 programs that leave nothing are no rows; a clone over HTTP is refused before it starts', async ({
  page,
}) => {
  await page.goto(site.url);
  await prompt(page);
  await type(page, 'echo first > a');
  await expect(row(page, /^echo first/)).toBeVisible();
  await type(page, 'top');
  await shows(page, 'load average');
  await page.keyboard.press('q');
  await prompt(page);
  await type(page, 'clear; vi b');
  await shows(page, /~\s*~/);
  await page.keyboard.type(':q!\n');
  await prompt(page);
  await type(page, 'clear; git -c a.b=c clone https://git.example.org/there; echo "http $?"; ls there');
  await shows(page, /cannot clone https:\/\/git\.example\.org\/there: this machine is in a browser tab/);
  await shows(page, /http 128\s*ls: cannot access 'there'/);
  await type(page, 'clear; git --version; echo last > b');
  await shows(page, /git version/);
  await expect(row(page, /echo last/)).toBeVisible();
  const names = await page
    .getByRole('treeitem')
    .evaluateAll((rows) => rows.map((one) => one.querySelector('.title')?.textContent));
  expect(names).toEqual(['now', expect.stringMatching(/echo last > b$/), 'echo first > a', 'start · debian']);
});

test('H-8 a worker that has ended by itself is noticed, and another goes on', async ({ page }) => {
  await page.goto(site.url);
  await prompt(page);
  await type(page, 'echo kept > file');
  await expect(row(page, /^echo kept/)).toBeVisible();
  await Promise.allSettled(page.workers().map((worker) => worker.evaluate(() => globalThis.close())));
  const pane = page.locator('coppice-pane');
  await expect(pane.getByRole('alert')).toContainText("The machine's worker stopped: it ended");
  await pane.getByRole('button', { name: 'Try again' }).click();
  await type(page, 'cat file; echo goes-$((1+1))');
  await shows(page, /kept\s*goes-2/);
});

longTest(
  'B-1 B-4 what is typed goes to the terminal without a click, in a new page and after a reload',
  async ({ page }) => {
    await page.goto(site.url);
    await prompt(page);
    await page.keyboard.type('echo typed-$((1+1))\n');
    await shows(page, /typed-2\s*user@coppice/);
    await untilStored(page);
    await page.reload();
    // The page itself types in the instant in which the prompt is there: its shell may still be on its way.
    await screen(page).evaluate((rows) => {
      const look = () => {
        if (!/\$\s*$/.test(rows.textContent)) return;
        observer.disconnect();
        const typed = new InputEvent('input', { data: 'echo early-$((2+2))\r', inputType: 'insertText' });
        rows.closest('.xterm')?.querySelector('textarea')?.dispatchEvent(typed);
      };
      const observer = new MutationObserver(look);
      observer.observe(rows, { childList: true, characterData: true, subtree: true });
      look();
    });
    await shows(page, /early-4\s*user@coppice/);
    await page.keyboard.type('echo again-$((3+3))\n');
    await shows(page, 'again-6');
  },
);

test('B-3 a fork goes on in a pane beside, and the two diverge', async ({ page }) => {
  await page.goto(site.url);
  await prompt(page);
  await type(page, 'echo common > f');
  await row(page, /^echo common/).click();
  await page.keyboard.press('f');
  await expect(page.locator('coppice-pane')).toHaveCount(2);
  await prompt(page, 1);
  await type(page, 'echo right >> f; cat f', 1);
  await shows(page, /common\s*right/, 1);
  await type(page, 'echo left >> f; cat f', 0);
  await shows(page, /common\s*left\s*user@coppice/, 0);
  await untilStored(page, 2);
  await page.reload();
  await prompt(page, 0);
  await prompt(page, 1);
  await type(page, 'cat f && echo kept-$((1+1))', 1);
  await shows(page, /right\s*kept-2/, 1);
});

test('C-2 another page of the origin uses the same machine through the SDK', async ({ page, context }) => {
  await page.goto(site.url);
  await prompt(page);
  const other = await context.newPage();
  await other.goto(`${site.url}coppice.js`);
  const answer = await other.evaluate(async (module) => {
    const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
    const [info] = await Sandbox.list();
    if (!info) throw new Error('There is no sandbox');
    const sandbox = await Sandbox.connect(info.id);
    const { stdout, files } = await sandbox.run('echo from the other page | tee note');
    return { stdout, created: files.created, busy: await Sandbox.open(info.id).catch((error) => error.code) };
  }, `${site.url}coppice.js`);
  expect(answer).toEqual({ stdout: 'from the other page\n', created: ['/home/user/note'], busy: 'busy' });
  await type(page, 'cat note');
  await shows(page, /cat note\s*from the other page/);
});
