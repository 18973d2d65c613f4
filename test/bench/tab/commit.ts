import { runTool } from '../../../host/run-tool.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { Lab } from '../lab/lab.ts';
import { median, round } from '../median.ts';
import type { CommitTimes } from '../pages/measure-commits.ts';

/** `commit_ratio`: a durable commit of ours and a strict IndexedDB put, blocks of them by turns. */
export const commit: Benchmark<Lab> = { keys: ['commit_ratio'], measure };

async function measure(lab: Lab): Promise<Figures> {
  const { url } = await lab.pages();
  await using chromium = await lab.openChromium();
  await chromium.page.goto(url);
  // What a build has just written would make every flush wait for it.
  await runTool(['sync']);
  const times: CommitTimes[] = [];
  for (let n = 0; n < lab.runs; n++) {
    times.push(await chromium.page.evaluate(() => globalThis.bench.measureCommits()));
  }
  const oursMs = median(times.map(({ opfsMs }) => opfsMs));
  const idbMs = median(times.map(({ idbStrictMs }) => idbStrictMs));
  return {
    commit_ratio: {
      value: round(idbMs / oursMs),
      details: { oursMs: round(oursMs), idbMs: round(idbMs), runs: lab.runs, where: 'Chromium, a worker' },
    },
  };
}
