import type { Page } from '@playwright/test';
import type { Benchmark, Figure, Figures } from '../figure.ts';
import type { Lab } from '../lab/lab.ts';
import { median, round } from '../median.ts';
import type { FileSystem, FilesTest, PhaseTimes } from '../pages/guest-files-worker.ts';

const fileSystems = ['built-in', 'ours'] as const satisfies readonly FileSystem[];
const warmUpRounds = 2;

/** `p9_small_ratio`, `p9_bulk_ratio`: one guest on v86's own file system, one on ours, by turns. */
export const guestFiles: Benchmark<Lab> = { keys: ['p9_small_ratio', 'p9_bulk_ratio'], measure };

async function measure(lab: Lab): Promise<Figures> {
  const { url } = await lab.pages();
  await using chromium = await lab.openChromium();
  await chromium.page.goto(url);
  for (const fileSystem of fileSystems) {
    await chromium.page.evaluate((name) => globalThis.bench.startGuest(name), fileSystem);
  }
  return {
    p9_small_ratio: await compare('small', { page: chromium.page, runs: lab.runs }),
    p9_bulk_ratio: await compare('bulk', { page: chromium.page, runs: lab.runs }),
  };
}

async function compare(test: FilesTest, options: { page: Page; runs: number }): Promise<Figure> {
  const { page, runs } = options;
  const rounds: Record<FileSystem, PhaseTimes[]> = { 'built-in': [], ours: [] };
  for (let n = 0; n < warmUpRounds + runs; n++) {
    for (const fileSystem of fileSystems) {
      const request = { fileSystem, test };
      const times = await page.evaluate((r) => globalThis.bench.runRound(r.fileSystem, r.test), request);
      if (n >= warmUpRounds) rounds[fileSystem].push(times);
    }
  }
  const builtInMs = median(rounds['built-in'].map(total));
  const oursMs = median(rounds.ours.map(total));
  return {
    value: round(builtInMs / oursMs),
    details: {
      builtInMs: round(builtInMs),
      oursMs: round(oursMs),
      builtInPhasesMs: phases(rounds['built-in']),
      oursPhasesMs: phases(rounds.ours),
      runs,
      warmUpRounds,
      where: 'Chromium, one worker each; time by the guest’s clock',
    },
  };
}

function total(times: PhaseTimes): number {
  return Object.values(times).reduce((sum, ms) => sum + ms, 0);
}

/** The median of each phase over all rounds. */
function phases(rounds: readonly PhaseTimes[]): PhaseTimes {
  const names = Object.keys(rounds[0] ?? {});
  const middle = (name: string) => round(median(rounds.map((times) => times[name] ?? 0)));
  return Object.fromEntries(names.map((name) => [name, middle(name)]));
}
