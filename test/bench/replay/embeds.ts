import { gzipSync } from 'node:zlib';
import { serveFolder } from '../../../scripts/static-server.ts';
import type { CoppiceSandbox } from '../../../web/embed/index.ts';
import { elsewhere, serveHost } from '../../e2e/embed/host-page.ts';
import { recordedSession } from '../../fixtures/recorded-session.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { Lab } from '../lab/lab.ts';
import { rendererMemory } from '../lab/renderer-memory.ts';
import { median, round } from '../median.ts';

const many = 10;

/** `embed_kib`, `embeds_10_mib`: what a replay transfers for its picture, and the memory of ten shell embeds on a page for each of one. */
export const embeds: Benchmark<Lab> = { keys: ['embed_kib', 'embeds_10_mib'], measure };

async function measure(lab: Lab): Promise<Figures> {
  await using site = await serveFolder(await lab.siteFolder(), { port: 0 });
  const steps = Array.from({ length: 40 }, (_, n) => ({ run: `seq ${n} ${n + 40} > f${n}; tail -3 f${n}` }));
  const recording = await recordedSession(steps, { gzip: true });
  await using host = await serveHost(site, {
    files: new Map([['/session.cast.gz', recording]]),
    body: '<coppice-replay recording="session.cast.gz"></coppice-replay>',
  });
  const embedKib = await firstFrame(lab, elsewhere(host));
  const pages = new Map<number, number[]>([1, many].map((count) => [count, []]));
  for (let run = 0; run < lab.runs; run++)
    for (const [count, sizes] of pages) sizes.push(await shellsMib(lab, site, count));
  const [one = 0, ten = 0] = [...pages.values()].map(median);
  return {
    embed_kib: { value: round(embedKib), details: { recordingKib: round(recording.length / 1_024) } },
    embeds_10_mib: { value: round(ten / one), details: { runs: lab.runs, oneMib: one, tenMib: ten } },
  };
}

/** Each file as gzip would transfer it, the recording as far as it is read. */
async function firstFrame(lab: Lab, url: string): Promise<number> {
  await using chromium = await lab.openChromium();
  const { page } = chromium;
  let bytes = 0;
  page.on('response', async (response) => {
    if (response.url() !== url) bytes += gzipSync(await response.body().catch(() => Buffer.alloc(0))).length;
  });
  await page.goto(url);
  await page.locator('coppice-replay .screen').filter({ hasText: '$ seq' }).waitFor();
  return bytes / 1_024;
}

/** All renderers whose processes have the page or its frames, once each terminal has shown a command. */
async function shellsMib(lab: Lab, site: Parameters<typeof serveHost>[0], count: number): Promise<number> {
  const element = '<coppice-sandbox run="seq 100" loading="click"></coppice-sandbox>';
  await using host = await serveHost(site, { body: element.repeat(count) });
  await using chromium = await lab.openChromium();
  const { page } = chromium;
  await page.goto(elsewhere(host));
  await page.waitForFunction(() => customElements.get('coppice-sandbox') !== undefined);
  await page.evaluate(async () => {
    for (const element of document.querySelectorAll<CoppiceSandbox>('coppice-sandbox')) {
      const { sandbox } = await element.start();
      await sandbox.run('seq 1000');
      await element.runCommand();
    }
  });
  const sizes = await rendererMemory(chromium);
  // The page's own, and that of the site's frames.
  return round(sizes.slice(0, 2).reduce((sum, size) => sum + size, 0));
}
