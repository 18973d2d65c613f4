import type { Benchmark } from '../figure.ts';
import type { Lab } from '../lab/lab.ts';
import { rendererMemory } from '../lab/renderer-memory.ts';
import { round } from '../median.ts';
import { workAnHour } from './minute.ts';

/** `renderer_mib`: memory of the page's renderer after an hour's work, once: it takes minutes. */
export const hourOfWork: Benchmark<Lab> = {
  keys: ['renderer_mib'],
  measure: async (lab) => {
    await using site = await lab.serveSite();
    const module = `${site.url}coppice.js`;
    await using chromium = await lab.openChromium();
    await chromium.page.goto(module);
    await chromium.page.evaluate(workAnHour, module);
    const [page = 0, ...others] = (await rendererMemory(chromium)).map((mib) => round(mib));
    return { renderer_mib: { value: page, details: { otherRenderersMib: others, runs: 1 } } };
  },
};
