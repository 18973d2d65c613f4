import type { Benchmark } from '../figure.ts';
import type { Lab } from '../lab/lab.ts';
import { median, round } from '../median.ts';
import { createFiles } from './minute.ts';

/** `create_2000_ratio`: python makes 2,000 small files, the guest's own tmpfs ÷ its root, which is ours. */
export const createdFiles: Benchmark<Lab> = {
  keys: ['create_2000_ratio'],
  measure: async (lab) => {
    await using site = await lab.serveSite();
    const module = `${site.url}coppice.js`;
    const times: { tmpfs: number; root: number }[] = [];
    for (let n = 0; n < lab.runs; n++) {
      await using chromium = await lab.openChromium();
      await chromium.page.goto(module);
      times.push(await chromium.page.evaluate(createFiles, module));
    }
    const tmpfsMs = round(median(times.map(({ tmpfs }) => tmpfs)));
    const rootMs = round(median(times.map(({ root }) => root)));
    return {
      create_2000_ratio: { value: round(tmpfsMs / rootMs), details: { tmpfsMs, rootMs, runs: lab.runs } },
    };
  },
};
