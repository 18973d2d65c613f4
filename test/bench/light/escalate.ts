import type { Page } from '@playwright/test';
import type { Benchmark, Figures } from '../figure.ts';
import type { LightLab } from '../lab/light-lab.ts';
import { median, round } from '../median.ts';

const warmUps = 2;
/** Files of a kilobyte, a function and a variable: what an agent has when it first needs a program that the shell has not. */
const prepare = `mkdir work && cd work && for n in {1..100}; do printf '%01000d\\n' $n > file-$n; done
say() { echo "$greeting $1"; }; greeting=hello`;
const ask = 'say you; ls | wc -l; uname -m';
const answer = 'hello you\n100\ni686\n';

interface Times {
  /** Until the move has resolved: the machine runs, with the files, and its bash has the shell's state. */
  readonly readyMs: number;
  /** Until a command in it has answered. */
  readonly answerMs: number;
}

/** `escalate_ms`: a shell in the tab goes to the machine of the tab, with files, directory, variables and functions. */
export const escalate: Benchmark<LightLab> = { keys: ['escalate_ms'], measure };

async function measure({ tab, runs }: LightLab): Promise<Figures> {
  await using site = await tab.serveSite();
  await using chromium = await tab.openChromium();
  const { page } = chromium;
  const module = `${site.url}coppice.js`;
  await page.goto(module);
  const times: Times[] = [];
  for (let n = 0; n < warmUps + runs; n++) {
    const moved = await move(page, module);
    if (n >= warmUps) times.push(moved);
  }
  return {
    escalate_ms: {
      value: round(median(times.map(({ readyMs }) => readyMs))),
      details: {
        answerMs: round(median(times.map(({ answerMs }) => answerMs))),
        allReadyMs: times.map(({ readyMs }) => round(readyMs)),
        files: 100,
        where: 'Chromium, the image cached',
      },
    },
  };
}

/** @throws Error when the shell is not the same there */
async function move(page: Page, module: string): Promise<Times> {
  const { said, ...times } = await page.evaluate(
    async ({ module, prepare, ask }) => {
      const { RoutedShell, Sandbox, tab }: typeof import('../../../web/app/coppice.ts') = await import(
        module
      );
      const routed = await RoutedShell.open({
        ...{ deletesLeft: true, standby: true },
        places: [
          { backend: tab, runtime: 'shell' },
          { backend: tab, runtime: 'v86' },
        ],
      });
      await routed.run(prepare);
      const startMs = performance.now();
      await routed.moveTo('v86');
      const readyMs = performance.now() - startMs;
      const { stdout: said } = await routed.run(ask);
      const answerMs = performance.now() - startMs;
      await routed.close();
      await Sandbox.delete(routed.sandbox.id);
      return { said, readyMs, answerMs };
    },
    { module, prepare, ask },
  );
  if (said !== answer) throw new Error(`The shell says ${JSON.stringify(said)} there`);
  return times;
}
