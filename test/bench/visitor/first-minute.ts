import type { Benchmark, Figures } from '../figure.ts';
import type { Lab } from '../lab/lab.ts';
import { type MinuteLab, minuteInChromium, minuteInFirefox } from '../lab/minute-lab.ts';
import { median, round } from '../median.ts';
import type { Minute } from './minute.ts';

const parts = ['firstPython', 'git200', 'cpuLoop'] as const satisfies readonly (keyof Minute)[];

/** `first_python_ratio` and its siblings: a visitor's first minute, v86 by its own settings ÷ ours, in Chromium. */
export const firstMinute: Benchmark<Lab> = {
  keys: ['first_python_ratio', 'git_200_ratio', 'cpu_loop_ratio', 'first_python_s', 'git_200_s'],
  measure: async (lab) => {
    const { stock, ours } = await bothSides(lab, minuteInChromium);
    const ratio = (part: keyof Minute) => figure(stock[part] / ours[part], part);
    const seconds = (part: keyof Minute) => figure(ours[part] / 1000, part);
    const figure = (value: number, part: keyof Minute) => ({
      value: round(value),
      details: { stockMs: stock[part], oursMs: ours[part], runs: lab.runs },
    });
    return {
      first_python_ratio: ratio('firstPython'),
      git_200_ratio: ratio('git200'),
      cpu_loop_ratio: ratio('cpuLoop'),
      first_python_s: seconds('firstPython'),
      git_200_s: seconds('git200'),
    };
  },
};

/** `firefox_ratio`: the worst of the three ratios in Firefox. */
export const firefox: Benchmark<Lab> = { keys: ['firefox_ratio'], measure: measureFirefox };

async function measureFirefox(lab: Lab): Promise<Figures> {
  const { stock, ours } = await bothSides(lab, minuteInFirefox);
  const ratios = parts.map((part) => stock[part] / ours[part]);
  return {
    firefox_ratio: {
      value: round(Math.min(...ratios)),
      details: { stockMs: stock, oursMs: ours, runs: lab.runs },
    },
  };
}

/** The medians of each side; the sides take turns, and each time a browser with an empty profile. */
async function bothSides(lab: Lab, spend: MinuteLab): Promise<{ stock: Minute; ours: Minute }> {
  await using stockSite = await lab.serveSite('stock-v86');
  await using site = await lab.serveSite();
  const stock: Minute[] = [];
  const ours: Minute[] = [];
  for (let n = 0; n < lab.runs; n++) {
    stock.push(await spend(lab, stockSite.url));
    ours.push(await spend(lab, site.url));
  }
  return { stock: medians(stock), ours: medians(ours) };
}

function medians(minutes: readonly Minute[]): Minute {
  const of = (part: keyof Minute) => round(median(minutes.map((minute) => minute[part])));
  return { firstPython: of('firstPython'), git200: of('git200'), cpuLoop: of('cpuLoop') };
}
