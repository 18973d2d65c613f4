import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, type Page } from '@playwright/test';
import { readRecording } from '../../recording/read/read-recording.ts';
import { writeSegments } from '../../recording/write/write-segments.ts';
import type { StaticServer } from '../../scripts/static-server.ts';
import { recordedSession } from '../fixtures/recorded-session.ts';
import { makeShellFolder, openShellBridge } from '../fixtures/shell-bridge.ts';
import { transcriptFiles } from '../fixtures/transcripts.ts';
import { inLongRun } from '../runs-long.ts';
import { prompt, row, serveSite, shows, type } from './tab/drive-page.ts';
import { holdFile } from './tab/held-file.ts';
import { openShell } from './tab/open-shell.ts';
import { test } from './tab/visit-test.ts';

/** Of what test/conformance/continue.test.ts covers for the most part. */
const longTest = inLongRun(test);

const built = join(import.meta.dirname, '../../dist/site');
const publicPlayer = [
  import.meta.resolve('asciinema-player/dist/bundle/asciinema-player.css'),
  import.meta.resolve('asciinema-player/dist/bundle/asciinema-player.min.js'),
].map((url) => fileURLToPath(url));

let site: StaticServer;
let recording: Uint8Array<ArrayBuffer>;
test.beforeAll(async () => {
  site = await serveSite();
  recording = await recordedSession(
    [
      { chapter: 'The fault' },
      { say: 'The sum is <b>wrong</b>.\n[a link](https://example.org)', role: 'user' },
      { run: 'printf "one\\ntwo\\n" > sum.txt' },
      {
        run: 'cat sum.txt; printf "\\033]0;stolen title\\007\\033]52;c;c3RvbGVu\\007a needle in the hay\\n"',
      },
      { chapter: 'The repair' },
      { call: 'edit', arguments: { path: 'sum.txt' }, result: 'done' },
      { run: 'printf "one\\nthree\\n" > sum.txt', seconds: 30 },
      { run: 'echo the end' },
    ],
    { gzip: true },
  );
});
test.afterAll(() => site[Symbol.asyncDispose]());

/** What the player's terminal shows. */
const screenOf = (page: Page) => page.getByRole('region', { name: 'What the terminal shows' });
const timeOf = (page: Page) => page.getByRole('slider', { name: 'Time' });

/** The player, offline: the site was visited before. */
async function openOffline(page: Page): Promise<void> {
  await page.goto(`${site.url}replay/`);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.context().setOffline(true);
  await page.reload();
}

async function chooseFile(page: Page, file: string): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose a file' }).click(),
  ]);
  await chooser.setFiles(file);
}

test('P-2 P-3 X-2 a recording from a file, without a network: watched, scrubbed, compared, searched, continued live and branched', async ({
  page,
}, info) => {
  const file = info.outputPath('session.cast.gz');
  await writeFile(file, recording);
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(request.url()));
  await openOffline(page);
  await chooseFile(page, file);

  // From its beginning, with idle time skipped: half a minute passes in seconds.
  await page.getByRole('button', { name: 'Play' }).click();
  await expect(timeOf(page)).toHaveAttribute('aria-valuetext', /^(\d+ seconds?) of \1$/);
  await expect(screenOf(page)).toContainText('the end');
  // H-9 nothing of it reached the page.
  await expect(page).toHaveTitle('coppice · replay');
  await expect(page.getByText('The sum is <b>wrong</b>.')).toBeVisible();
  expect(await page.getByRole('link').count()).toBe(0);

  await page.keyboard.press('Home');
  await expect(screenOf(page)).not.toContainText('one');
  await page.keyboard.press('k');
  await page.getByRole('button', { name: /^cat sum\.txt/ }).click();
  await expect(page).toHaveURL(/#t=\d/);

  const found = page.getByRole('list', { name: 'What was found' });
  await page.keyboard.press('/');
  await page.keyboard.insertText('NEEDLE in');
  await expect(found.getByRole('listitem').first()).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(screenOf(page)).toContainText('a needle in the hay');
  await page.keyboard.press('Escape');

  const steps = page.getByRole('list', { name: 'Steps of the session' });
  await steps.getByRole('button', { name: /1 modified/ }).click();
  await page.getByRole('button', { name: /modified.*sum\.txt/ }).click();
  const diff = page.getByRole('table', { name: 'Text diff' });
  await expect(diff.getByRole('row', { name: '+ three' })).toBeVisible();
  await expect(diff.getByRole('row', { name: '− two' })).toBeVisible();
  await expect(page).toHaveURL(/&path=\/home\/user\/sum\.txt&view=changes$/);
  await page.getByRole('tab', { name: 'Files' }).click();
  await page.locator('coppice-files').getByRole('button', { name: 'sum.txt' }).first().click();
  await expect(page.getByLabel(/sum\.txt/).last()).toHaveValue('one\nthree\n');

  await page.getByRole('button', { name: 'Continue from here' }).click();
  await prompt(page);
  await expect(page).toHaveURL(`${site.url}#s=${new URL(page.url()).hash.slice(3)}`);
  await type(page, 'cat sum.txt; echo live > live.txt');
  await shows(page, 'three');
  await expect(row(page, /echo live/)).toBeVisible();
  await row(page, /two/).click();
  await page.keyboard.press('f');
  await expect(page.locator('coppice-pane')).toHaveCount(2);
  await prompt(page, 1);
  await type(page, 'cat sum.txt', 1);
  await shows(page, 'two', 1);

  // Back in the browser is the recording, at the moment that was left.
  await page.goBack();
  await expect(screenOf(page)).toBeAttached();
  await expect(page).toHaveURL(/replay\/#t=/);
  expect(asked.filter((url) => !url.startsWith(site.url) && !url.startsWith('blob:'))).toEqual([]);
});

/** The site with a folder `demo` of segments, its asciicast, and the public player, as an operator would have them. */
async function serveDemo(folder: string): Promise<StaticServer> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(built)) await symlink(join(built, name), join(folder, name));
  const stream = await readRecording(new Blob([recording]).stream());
  await writeSegments(stream, async (path, bytes) => {
    await mkdir(dirname(join(folder, 'demo', path)), { recursive: true });
    await writeFile(join(folder, 'demo', path), bytes);
  });
  for (const file of publicPlayer)
    await writeFile(join(folder, file.replace(/.*\//, '')), await readFile(file));
  const text = new Response(new Blob([recording]).stream().pipeThrough(new DecompressionStream('gzip')));
  await writeFile(join(folder, 'demo.cast'), await text.text());
  const play = `AsciinemaPlayer.create('demo.cast', document.querySelector('#whole'), { preload: true, startAt: 100 });
    AsciinemaPlayer.create({ url: 'demo/index.json', format: 'segmented' }, document.querySelector('#parts'), { startAt: 100 });`;
  await writeFile(join(folder, 'play.js'), play);
  await writeFile(
    join(folder, 'public.html'),
    `<link rel="stylesheet" href="asciinema-player.css"><div id="whole"></div><div id="parts"></div>
     <script src="asciinema-player.min.js"></script><script src="play.js"></script>`,
  );
  return serveSite({ folder });
}

test('P-2 C-8 a folder of segments opens at a link, and plays in the public player too', async ({
  page,
}, info) => {
  await using demo = await serveDemo(info.outputPath('site'));
  await page.goto(`${demo.url}replay/?recording=../demo/index.json#t=100&path=/home/user/sum.txt`);
  await expect(screenOf(page)).toContainText('the end');
  await page.keyboard.press('[');
  await expect(page.getByRole('table', { name: 'Text diff' })).toContainText('three');
  await page.keyboard.press('c');
  await prompt(page);
  await type(page, 'tail -n 1 sum.txt');
  await shows(page, 'three');

  await page.goto(`${demo.url}public.html`);
  for (const id of ['whole', 'parts']) {
    await page.locator(`#${id} .ap-overlay-start, #${id} .ap-play-button`).first().click();
    await expect(page.locator(`#${id}`)).toContainText('the end');
  }
});

longTest(
  'P-3 a recording goes on on a bridge that is added beside the button, and is then a pane of the page',
  async ({ page }, info) => {
    await using shells = await makeShellFolder();
    const allowedOrigins = [new URL(site.url).origin];
    await using bridge = await openShellBridge({ ...shells, process: 'ours', allowedOrigins });
    const { token } = bridge.host.tokens.create({ name: 'test', scope: 'all' });
    const file = info.outputPath('session.cast.gz');
    await writeFile(file, recording);
    await page.goto(`${site.url}replay/`);
    await chooseFile(page, file);
    await page.getByRole('button', { name: /^echo the end/ }).click();
    await expect(screenOf(page)).toContainText('the end');
    const player = page.locator('coppice-continue');
    await player.getByRole('button', { name: 'Hosts' }).click();
    await page.getByLabel('Address of the bridge').fill(bridge.url);
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.keyboard.press('Enter');
    await expect(page.getByText('connected', { exact: true })).toBeVisible();
    await page.keyboard.press('Escape');
    const { host } = new URL(bridge.url);
    await player.getByLabel('Where to continue').selectOption(`on ${host}, from its files`);
    await player.getByRole('button', { name: 'Continue from here' }).click();
    await expect(page.getByRole('button', { name: `on ${host}` })).toBeVisible();
    await prompt(page);
    await type(page, 'tail -n 1 sum.txt');
    await shows(page, 'three');
  },
);

/** As who edits the address. */
function goTo(page: Page, seconds: number): Promise<void> {
  return page.evaluate((at) => {
    location.hash = `#t=${at}`;
  }, seconds);
}

/** Drops a file on the player. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([name, text]) => {
      const dropped = new DataTransfer();
      dropped.items.add(new File([text], name));
      return dropped;
    },
    [name, text] as const,
  );
  await page.dispatchEvent('body', 'drop', { dataTransfer });
}

test('P-2 C-8 sessions of agents and asciicasts of either version play where they are dropped or linked, and what is none is refused', async ({
  page,
}) => {
  const sources = ['claude-code ·', 'codex ·', 'atif ·', 'orca ·'];
  const shown = ['add.js | 2', '1 passing', '$ ls', '$ true'];
  await page.goto(`${site.url}replay/`);
  for (const [index, file] of transcriptFiles.entries()) {
    await drop(page, basename(file), await readFile(file, 'utf8'));
    await expect(page.getByText(sources[index] ?? '')).toBeVisible();
    await goTo(page, 600);
    await expect(screenOf(page)).toContainText(shown[index] ?? '');
  }
  await drop(page, 'notes.txt', 'no session');
  await expect(page.getByText('Cannot tell what this file is')).toBeVisible();
  await drop(page, 'newer.cast', '{"version":4,"term":{"cols":80,"rows":24}}\n');
  await expect(page.getByText('asciicast version 4')).toBeVisible();
  await drop(page, 'old.cast', '{"version":2,"width":80,"height":24}\n[1,"o","an old one"]\n');
  await expect(page.getByText('asciicast ·')).toBeVisible();
  await goTo(page, 600);
  await expect(screenOf(page)).toContainText('an old one');

  const [claude = ''] = transcriptFiles;
  const bytes = await readFile(claude);
  await using linked = await holdFile(bytes, { first: bytes.length });
  await page.goto(`${site.url}replay/?recording=${encodeURIComponent(linked.url)}#t=60`);
  await expect(screenOf(page)).toContainText('1 passing');
  await page.getByText('The test fails. Repair it.').first().click();
  await expect(page).toHaveURL(/#t=0/);
});

test('P-2 the page itself plays a recording that is chosen or dropped, and continues it beside what is open', async ({
  context,
}, info) => {
  const file = info.outputPath('session.cast.gz');
  await writeFile(file, recording);
  const page = await openShell(context, site.url);
  await page.getByRole('button', { name: /^Commands/ }).click();
  await page.keyboard.insertText('watch a rec');
  await page.keyboard.press('Enter');
  await chooseFile(page, file);
  await page.getByRole('button', { name: 'Next step' }).click();
  await page.getByRole('button', { name: 'Continue from here' }).click();
  await expect(page.locator('coppice-pane')).toHaveCount(2);
  await prompt(page, 1);
});

test('P-2 a long recording is shown before it is read, and what is not read yet waits and says so', async ({
  page,
}) => {
  const lines = Array.from({ length: 1_000 }, (_, at) => `[1,"o","line ${at + 1} ${'.'.repeat(500)}\\r\\n"]`);
  const file = ['{"version":3,"term":{"cols":80,"rows":24}}', ...lines, '[0,"m","The end"]', ''].join('\n');
  await using held = await holdFile(new TextEncoder().encode(file), { first: 100_000 });
  await page.goto(`${site.url}replay/?recording=${encodeURIComponent(held.url)}#t=10`);
  await expect(screenOf(page)).toContainText('line 10 ');
  const reading = page.getByRole('progressbar', { name: 'Reading the recording' });
  await expect(reading).toBeVisible();

  const waits = page.getByText('15:00 is shown once it is read.');
  await goTo(page, 900);
  await expect(waits).toBeVisible();
  await expect(screenOf(page)).toContainText('line 10 ');
  await goTo(page, 20);
  await expect(screenOf(page)).toContainText('line 20 ');
  await expect(waits).toBeHidden();

  await goTo(page, 900);
  await expect(waits).toBeVisible();
  held.release();
  await expect(screenOf(page)).toContainText('line 900 ');
  await expect(reading).toBeHidden();
  await expect(page).toHaveURL(/#t=900$/);
  await expect(page.getByRole('button', { name: /^The end/ })).toBeVisible();
});
