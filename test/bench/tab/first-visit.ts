import type { BrowserContext, Request } from '@playwright/test';
import type { Benchmark, Figures } from '../figure.ts';
import type { Lab } from '../lab/lab.ts';
import { rendererMemory } from '../lab/renderer-memory.ts';
import { openSite } from '../lab/site-page.ts';
import { median, round } from '../median.ts';

/** `visitor_mib`, `tab_mib`: somebody with an empty profile opens the site; both are read at the prompt. */
export const firstVisit: Benchmark<Lab> = { keys: ['visitor_mib', 'tab_mib'], measure };

interface Visit {
  readonly downloadedMib: number;
  readonly requests: number;
  readonly promptMs: number;
  readonly renderersMib: readonly number[];
}

async function measure(lab: Lab): Promise<Figures> {
  await using site = await lab.serveSite();
  const visits: Visit[] = [];
  for (let n = 0; n < lab.runs; n++) visits.push(await visit(lab, site.url));
  const runs = lab.runs;
  return {
    visitor_mib: {
      value: round(median(visits.map(({ downloadedMib }) => downloadedMib))),
      details: {
        requests: visits.at(-1)?.requests,
        promptMs: round(median(visits.map(({ promptMs }) => promptMs))),
        runs,
        counted: 'headers and bodies that crossed the network, service worker included',
      },
    },
    tab_mib: {
      value: round(median(visits.map(({ renderersMib: [page = 0] }) => page))),
      details: {
        otherRenderersMib: visits
          .at(-1)
          ?.renderersMib.slice(1)
          .map((mib) => round(mib)),
        runs,
        counted: 'proportional set size of the renderer: page, workers and the guest',
      },
    },
  };
}

async function visit(lab: Lab, url: string): Promise<Visit> {
  await using chromium = await lab.openChromium();
  const requests = countRequests(chromium.page.context());
  const promptMs = await openSite(chromium.page, url);
  const renderersMib = await rendererMemory(chromium);
  const bytes = await Promise.all(requests.map(transferBytes));
  return {
    downloadedMib: bytes.reduce((sum, count) => sum + count, 0) / 2 ** 20,
    requests: bytes.filter((count) => count > 0).length,
    promptMs,
    renderersMib,
  };
}

/** Fills with what the page, its workers and its service worker have requested and got. */
function countRequests(context: BrowserContext): Request[] {
  const finished: Request[] = [];
  context.on('requestfinished', (request) => void finished.push(request));
  return finished;
}

/** Bytes on the wire; none when a cache or the service worker answered. */
async function transferBytes(request: Request): Promise<number> {
  const { responseBodySize, responseHeadersSize } = await request.sizes();
  return Math.max(0, responseBodySize + responseHeadersSize);
}
