import { expect, test } from '@playwright/test';
import { type Frame, launch, type Page } from 'puppeteer-core';
import { recordedSession } from '../fixtures/recorded-session.ts';
import { runsLong } from '../runs-long.ts';
import { elsewhere, serveHost } from './embed/host-page.ts';
import { serveSite } from './tab/drive-page.ts';
import { type StoredAnswer, serveTellingSite, storedChannel } from './tab/telling-site.ts';

/** Debian's Firefox, by WebDriver BiDi: Playwright drives only a Firefox that it patches itself. */
const executablePath = process.env.FIREFOX ?? '/usr/bin/firefox-esr';
const terminal = '>>> coppice-terminal:not([hidden])';

/** Its machines read what another worker has open. Two more machines take as long as all before them. */
const andRace = runsLong ? ', X-4 and a race of machines' : '';

test(`B-1 B-3 B-4 in Firefox: a prompt, a command and its snapshot, after a reload the program that ran${andRace}`, async () => {
  test.setTimeout(400_000);
  await using site = await serveTellingSite();
  await using browser = await launch({ browser: 'firefox', protocol: 'webDriverBiDi', executablePath });
  const page = await browser.newPage();
  await page.goto(`${site.url}?start=machine`);
  await shows(page, /user@coppice:[^$]*\$\s*$/);

  await type(page, 'echo made-$((6*7)) > note; cat note');
  await shows(page, /made-42/);
  const rows = () => page.$$eval('>>> [role=treeitem]', (items) => items.map((item) => item.textContent));
  await expect.poll(rows).toContainEqual(expect.stringContaining('echo made-'));

  await type(page, 'python3');
  await shows(page, />>>\s*$/);
  await type(page, 'held = 41');
  await shows(page, /held = 41\s*>>>\s*$/);
  await untilStored(page);
  await page.reload();
  await shows(page, /held = 41\s*>>>\s*$/);
  await type(page, 'print(held + 1, open("note").read())');
  await shows(page, /42 made-42\s*>>>\s*$/);

  if (!runsLong) return;
  await type(page, 'exit()');
  await shows(page, /exit\(\)\s*user@coppice:[^$]*\$\s*$/);
  await type(page, 'echo 0 > value; echo ready-$((6*7))');
  await shows(page, /ready-42/);

  await page.locator('>>> button[title^=Commands]').click();
  await page.keyboard.type('race\n');
  await page.locator('>>> [name=candidates]').fill('echo 1 > value\necho 2 > value');
  await page.locator('>>> [name=test]').fill('grep -q 2 value');
  await page.keyboard.press('Enter');
  const told = () =>
    page.$$eval('>>> dialog [role=status]', (all) => all.map((one) => one.textContent).join());
  await expect.poll(told).toMatch(/Candidate 2 won the race|The race has ended|No candidate/);
  expect(await told()).toContain('Candidate 2 won the race.');
});

test('P-6 B-11 in Firefox, a page of another site has a sandbox and a replay that goes on, in frames whose storage is their own', async () => {
  await using site = await serveSite();
  const session = await recordedSession([{ run: 'echo one > sum.txt' }, { run: 'cat sum.txt' }], {
    gzip: true,
  });
  await using host = await serveHost(site, {
    files: new Map([['/session.cast.gz', session]]),
    body: `<coppice-sandbox run="cat note"><pre data-file="note">of the page</pre></coppice-sandbox>
      <coppice-replay recording="session.cast.gz" poster="1000" at="1"></coppice-replay>`,
  });
  await using browser = await launch({ browser: 'firefox', protocol: 'webDriverBiDi', executablePath });
  const page = await browser.newPage();
  await page.goto(`${site.url}replay/`);
  await page.evaluate(() => localStorage.setItem('of the user', 'secret'));
  await page.goto(elsewhere(host));

  await page.locator('coppice-sandbox >>> button').click();
  const sandbox = await frameOf(page, 'coppice-sandbox');
  await frameShows(sandbox, /of the page/);
  expect(await sandbox.evaluate(() => localStorage.getItem('of the user'))).toBe(null);

  await expect
    .poll(() => page.$eval('coppice-replay >>> .screen', (screen) => screen.textContent))
    .toMatch(/one/);
  await page.locator('coppice-replay >>> .play').click();
  const replay = await frameOf(page, 'coppice-replay');
  await frameShows(replay, /one/);
  await replay.locator('>>> coppice-continue >>> button').click();
  await frameShows(replay, /\$\s*$/, 'coppice-embed-terminal');
  await replay.locator('>>> coppice-embed-terminal').click();
  await page.keyboard.type('tr a-z A-Z < sum.txt\n');
  await frameShows(replay, /ONE/, 'coppice-embed-terminal');
});

/** The frame of an embed, once it is there. */
async function frameOf(page: Page, element: string): Promise<Frame> {
  const frame = async () => (await page.$(`${element} >>> iframe`))?.contentFrame();
  await expect.poll(async () => (await frame())?.url()).toContain('/embed/');
  const found = await frame();
  if (!found) throw new Error(`The frame of ${element} is gone`);
  return found;
}

/** Waits until a terminal of a frame shows `text`. */
async function frameShows(frame: Frame, text: RegExp, within = 'body'): Promise<void> {
  const read = () => frame.$eval(`>>> ${within} >>> .xterm-rows`, (rows) => rows.textContent).catch(() => '');
  await expect.poll(read).toMatch(text);
}

/** Types a line into the terminal, as a person does. */
async function type(page: Page, line: string): Promise<void> {
  await page.locator(terminal).click();
  await page.keyboard.type(`${line}\n`);
}

/** Waits until the terminal shows `text`. */
async function shows(page: Page, text: RegExp): Promise<void> {
  const read = () => page.$eval(`${terminal} >>> .xterm-rows`, (rows) => rows.textContent).catch(() => '');
  await expect.poll(read).toMatch(text);
}

/** Waits until the machine is stored as it is now, or was later. */
async function untilStored(page: Page): Promise<void> {
  const nowMs = Date.now();
  await page.evaluate((name) => {
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }) => Object.assign(channel, { answer: data });
    Object.assign(globalThis, { channel });
  }, storedChannel);
  const isStored = async () => {
    const answer = await page.evaluate(askStored, Date.now());
    return answer !== undefined && answer.askedMs >= nowMs && (answer.isCurrent || answer.sinceMs >= nowMs);
  };
  await expect.poll(isStored).toBe(true);
}

/** In the page: asks its workers, and answers what they said last. */
function askStored(askedMs: number): StoredAnswer | undefined {
  const { channel } = globalThis as unknown as { channel: BroadcastChannel & { answer?: StoredAnswer } };
  channel.postMessage(askedMs);
  return channel.answer;
}
