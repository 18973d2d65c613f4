import type { Page, Worker } from '@playwright/test';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import { timeline } from '../../../web/worker/machine/timeline.ts';

declare global {
  /** Of the page: the sandbox that is forked, and its forks. */
  var forked: Sandbox;
  var forks: Sandbox[];
}

/** Opens a sandbox in an empty page of the site's origin; its guest has done something and is idle. */
export async function openParent(page: Page, siteUrl: string): Promise<void> {
  const module = `${siteUrl}coppice.js`;
  await page.goto(module);
  await page.evaluate(async (from) => {
    const { Sandbox }: typeof import('../../../sdk/index.ts') = await import(from);
    globalThis.forked = await Sandbox.create();
    globalThis.forks = [];
    await globalThis.forked.run('echo hi > ~/file');
  }, module);
}

/** Waits until a worker stands ready for a fork; answers it. */
export async function untilReady(page: Page): Promise<Worker> {
  for (;;) {
    for (const worker of page.workers()) {
      const [ready, ran] = [await markOf(worker, timeline.ready), await markOf(worker, timeline.runs)];
      if (ready !== undefined && ran === undefined) return worker;
    }
    await page.waitForTimeout(250);
  }
}

export interface ForkTimes {
  /** From the call to when the guest's first instruction is next. */
  readonly runsMs: number;
  /** From the call to when its init has answered, and has been told the time. */
  readonly answersMs: number;
}

/** Forks what runs into the worker that stands ready. @throws RangeError when it took the longer way */
export async function forkInto(page: Page, spare: Worker): Promise<ForkTimes> {
  const { begun, ended } = await page.evaluate(async () => {
    const now = () => performance.timeOrigin + performance.now();
    const begun = now();
    const info: SandboxInfo | undefined = await globalThis.forked.connection.forkRunning?.();
    const ended = now();
    if (!info) throw new RangeError('What runs was not forked at once');
    const open = globalThis.forked.constructor as typeof Sandbox;
    globalThis.forks.push(await open.open(info.id));
    return { begun, ended };
  });
  const ran = await markOf(spare, timeline.runs);
  if (ran === undefined) throw new RangeError('The fork does not run in the worker that stood ready');
  return { runsMs: ran - begun, answersMs: ended - begun };
}

/** Closes the forks and deletes them. */
export async function dropForks(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { delete: remove } = globalThis.forked.constructor as typeof Sandbox;
    for (const fork of globalThis.forks.splice(0)) {
      await fork.connection.history.get(); // It is stored by then.
      await fork.close();
      await remove(fork.id);
    }
  });
}

/** When a worker came there, by the clock of all threads, ms. */
function markOf(worker: Worker, name: string): Promise<number | undefined> {
  return worker
    .evaluate((mark) => {
      const [entry] = performance.getEntriesByName(mark);
      return entry && performance.timeOrigin + entry.startTime;
    }, name)
    .catch(() => undefined); // It is gone.
}
