import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { launch } from 'puppeteer-core';
import { toHtml } from '../../recording/export/to-html.ts';
import type { TimedEvent } from '../../recording/format/recording-event.ts';
import { recordingVersion } from '../../recording/format/recording-header.ts';
import { inLongRun } from '../runs-long.ts';

const executablePath = process.env.FIREFOX ?? '/usr/bin/firefox-esr';

/** A session that would like to be more than text. */
const hostile = `</script><script>document.title = 'hacked'</script><img src=x onerror="document.title = 'hacked'">`;

const events: readonly TimedEvent[] = [
  { at: 0, event: { type: 'message', role: 'user', text: `Repair it ${hostile}` } },
  { at: 1, event: { type: 'call', id: 'c', tool: 'Bash', arguments: { command: hostile } } },
  { at: 1, event: { type: 'command', command: 1, text: 'npm test', by: 'exec', terminal: 1 } },
  { at: 1, event: { type: 'output', terminal: 1, data: '$ npm test\r\n' } },
  {
    at: 2,
    event: {
      type: 'output',
      terminal: 1,
      data: `\x1b]0;hacked\x07\x1b]8;;https://example.com/\x07link\x1b]8;;\x07 \x1b]52;c;aGFja2Vk\x07\x1b[31mred\x1b[0m ${hostile}\r\n`,
    },
  },
  { at: 2, event: { type: 'command-end', command: 1, exitCode: 1, durationMs: 1_000 } },
  { at: 2, event: { type: 'result', id: 'c', result: hostile, isError: true } },
  { at: 3, event: { type: 'terminal', terminal: 2, title: hostile, columns: 40, rows: 5 } },
  { at: 3, event: { type: 'output', terminal: 2, data: 'beside it' } },
  { at: 600, event: { type: 'output', terminal: 1, data: '\x1b[2J\x1b[Hpassed' } },
  { at: 600, event: { type: 'end', exitCode: 0 } },
];

interface WrittenPage extends AsyncDisposable {
  readonly url: string;
}

async function writePage(): Promise<WrittenPage> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-page-'));
  const terminalModule = await readFile(createRequire(import.meta.url).resolve('@xterm/headless'), 'utf8');
  const header = {
    columns: 60,
    rows: 8,
    beginMs: 0,
    title: `A session ${hostile}`,
    coppice: { recording: recordingVersion, generator: 'test' },
  } as const;
  const session = {
    header,
    events: async function* () {
      yield* events;
    },
  };
  const file = join(folder, 'replay.html');
  await writeFile(file, toHtml(session, { terminalModule }));
  return {
    url: pathToFileURL(file).href,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

test('C-8 H-9 a page with a recording in it plays from its file without a network, by keys and by a link, and its texts are text', async ({
  browser,
}) => {
  await using written = await writePage();
  const context = await browser.newContext({ offline: true });
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${written.url}#t=2`);
  const screen = page.locator('#screen pre:visible');
  await expect(screen).toContainText(`link red ${hostile.slice(0, 20)}`);
  await expect(screen.locator('span', { hasText: /^red$/ })).toHaveCSS('color', 'rgb(179, 38, 30)');
  await expect(page.locator('li.call.failed button')).toHaveText(`Bash: ${hostile}`);
  await expect(page.locator('li.user p')).toHaveText(`Repair it ${hostile}`);
  await expect(page.locator('#screen a, #items img, #items script')).toHaveCount(0);

  await page.keyboard.press('Home');
  await expect(screen).not.toContainText('npm');
  // Nine minutes without anything are skipped.
  await page.getByLabel('Speed').selectOption('16');
  await page.getByRole('button', { name: 'Play' }).click();
  await expect(screen).toContainText('passed');
  await expect(page.locator('#time')).toHaveText('10:00 / 10:00');
  await page.locator('li.call button').click();
  await expect(screen).toContainText('$ npm test');
  await expect(screen).not.toContainText('passed');
  await page.getByRole('group', { name: 'Terminals' }).getByRole('button').nth(1).click();
  await page.keyboard.press('End');
  await expect(page.locator('#screen pre:visible')).toContainText('beside it');

  expect(await page.title()).toBe(`A session ${hostile}`);
  expect({ asked: asked.filter((url) => !url.startsWith(written.url)), complaints }).toEqual({
    asked: [],
    complaints: [],
  });
  await context.close();
});

inLongRun(test)('C-8 the same page plays from its file in Firefox', async () => {
  await using written = await writePage();
  await using browser = await launch({ browser: 'firefox', protocol: 'webDriverBiDi', executablePath });
  const page = await browser.newPage();
  await page.goto(`${written.url}#t=600`);
  const shown = () => page.$eval('#screen pre', (screen) => screen.textContent ?? '').catch(() => '');
  await expect.poll(shown).toContain('passed');
  await page.keyboard.press('Home');
  await expect.poll(shown).not.toContain('passed');
  expect(await page.title()).toBe(`A session ${hostile}`);
});
