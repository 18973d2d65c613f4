import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, type Page } from '@playwright/test';
import { inRepository } from '../../host/repository.ts';
import type { StaticServer } from '../../scripts/static-server.ts';
import { borrowLayer, leaveLayer } from '../host/shared-layer.ts';
import { whatMovesLack } from '../host/what-jails-lack.ts';
import { inLongRun } from '../runs-long.ts';
import { prompt, row, serveSite, shows, type } from './tab/drive-page.ts';
import { openShell } from './tab/open-shell.ts';
import { test } from './tab/visit-test.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

let site: StaticServer;
let folder: string;

test.beforeAll(async () => {
  const lack = await whatMovesLack();
  test.skip(lack !== undefined, `no jails for sandboxes of tabs here: ${lack}`);
  site = await serveSite();
  folder = await mkdtemp(join(tmpdir(), 'coppice-files-'));
  await borrowLayer(join(folder, 'root'));
});
test.afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
  if (!folder) return;
  await leaveLayer(join(folder, 'root'));
  await rm(folder, { recursive: true });
});

/** The standard output of a command on sandboxes of this host. */
async function coppice(...args: string[]): Promise<string> {
  const env = { ...process.env, COPPICE_ROOT: join(folder, 'root') };
  const words = [inRepository('cli/main.ts'), ...args];
  return (await promisify(execFile)(process.execPath, words, { env })).stdout;
}

/** Does what the palette has under this title. */
async function command(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: /^Commands/ }).click();
  await page.keyboard.type(title);
  await page.keyboard.press('Enter');
}

async function open(page: Page, path: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await command(page, 'Open a snapshot from a file');
  await (await chooser).setFiles(path);
}

/** Has the page save a file by a command of the palette. */
async function save(page: Page, title: string, path: string): Promise<void> {
  const download = page.waitForEvent('download');
  await command(page, title);
  await (await download).saveAs(path);
}

/** The browser's own dialog is no part of the page. */
function withoutPicker(page: Page): Promise<unknown> {
  return page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
}

test('X-8 R-10 a file of coppice export opens in the page and goes on, and coppice import opens what the page saves', async ({
  page,
}) => {
  await coppice('init', '--quiet');
  await coppice('exec', '--', 'sh', '-c', 'echo from the host > note; ln -s note link; chmod 750 note');
  const fromHost = join(folder, 'from-host.coppice');
  await coppice('export', fromHost);
  await withoutPicker(page);
  await page.goto(site.url);
  await prompt(page);
  await open(page, fromHost);
  await prompt(page, 1);
  await type(page, 'cat link; stat -c %a note', 1);
  await shows(page, /from the host\s*750/, 1);
  await type(page, 'echo from the page >> note; sleep 1000 &', 1);
  await shows(page, /\[1\] \d+/, 1);
  const fromPage = join(folder, 'from-page.coppice');
  await save(page, 'Save now, with running programs, as a file', fromPage);
  await coppice('import', fromPage, '--as', 'back');
  const read = ['sh', '-c', 'cat link; stat -c "%U %a" note'];
  expect(await coppice('exec', '-s', 'back', '--', ...read)).toBe('from the host\nfrom the page\nuser 750\n');
});

longTest(
  'X-8 S-1 a shell of the page goes on at the command line from its file, and the other way round',
  async ({ context }) => {
    const page = await openShell(context, site.url);
    await withoutPicker(page);
    await page.reload();
    await prompt(page);
    await type(page, 'echo from the page > note');
    await row(page, /^echo from the page/).click();
    const fromPage = join(folder, 'shell-of-page.coppice');
    await save(page, 'Save the selected snapshot as a file', fromPage);
    await coppice('import', fromPage, '--as', 'shell');
    expect(
      await coppice('exec', '-s', 'shell', '--', 'bash', '-c', 'cat note; echo from the host >> note'),
    ).toBe('from the page\n');
    const fromHost = join(folder, 'shell-of-host.coppice');
    await coppice('export', '-s', 'shell', fromHost);
    await open(page, fromHost);
    await prompt(page, 1);
    await type(page, 'cat note', 1);
    await shows(page, /from the page\s*from the host/, 1);
  },
);
