import { run } from '../../machine/live/open-guest.ts';
import type { Benchmark, Figure, Figures } from '../figure.ts';
import type { LiveLab } from '../lab/live-lab.ts';
import { median, round } from '../median.ts';
import { percentile } from '../percentile.ts';

const roundsInRun = 8;
/** What a user does between two prompts: some 190 pages. */
const command = 'echo hi > /tmp/f';

/** `checkpoint_ratio`, `rewind_ratio`: what v86 itself takes to save and restore the same guest ÷ our pauses, by turns. */
export const checkpoint: Benchmark<LiveLab> = { keys: ['checkpoint_ratio', 'rewind_ratio'], measure };

async function measure(lab: LiveLab): Promise<Figures> {
  await using guest = await lab.guest();
  await using plain = await lab.plain();
  const times = { take: [] as number[], save: [] as number[], back: [] as number[], restore: [] as number[] };
  const pages: number[] = [];
  for (let n = 0; n <= lab.runs * roundsInRun; n++) {
    await run(guest, command);
    const start = performance.now();
    const image = guest.checkpoint();
    const taken = performance.now();
    await run(guest, command);
    const pauses = await guest.rewind(image);
    const [saveMs, restoreMs] = [await plain.saveMs(), await plain.restoreMs()];
    if (n < roundsInRun) continue; // The first warm both up.
    times.take.push(taken - start);
    times.back.push(pauses.pausedMs);
    pages.push(pauses.pages);
    times.save.push(saveMs);
    times.restore.push(restoreMs);
  }
  return {
    checkpoint_ratio: figure({ theirs: times.save, ours: times.take, pages, what: 'save_state' }),
    rewind_ratio: figure({ theirs: times.restore, ours: times.back, pages, what: 'restore_state' }),
  };
}

function figure(sides: { theirs: number[]; ours: number[]; pages: number[]; what: string }): Figure {
  const { theirs, ours, pages, what } = sides;
  return {
    value: round(median(theirs) / median(ours)),
    details: {
      oursMs: round(median(ours)),
      oursP99Ms: round(percentile(ours, 0.99)),
      theirsMs: round(median(theirs)),
      theirsP99Ms: round(percentile(theirs, 0.99)),
      theirs: `\`${what}\` of v86 with the same guest at its prompt`,
      pages: median(pages),
      rounds: ours.length,
      where: 'in Node',
    },
  };
}
