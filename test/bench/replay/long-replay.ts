import { createReadStream, createWriteStream } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from '@playwright/test';
import { readRecording } from '../../../recording/read/read-recording.ts';
import { writeSegments } from '../../../recording/write/write-segments.ts';
import { serveFolder } from '../../../scripts/static-server.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { Lab } from '../lab/lab.ts';
import { rendererMemory } from '../lab/renderer-memory.ts';
import { median, round } from '../median.ts';
import { percentile } from '../percentile.ts';
import { longSession, writeLongSession } from './long-session.ts';

const seeks = 60;

/** `open_ms`, `seek_ms`: an hour of output from a local server, to its first frame, and to frames anywhere in it. */
export const longReplay: Benchmark<Lab> = { keys: ['open_ms', 'seek_ms'], measure };

async function measure(lab: Lab): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-bench-replay-'));
  try {
    await cp(await lab.siteFolder(), folder, {
      recursive: true,
      filter: (from) => !from.includes('/images'),
    });
    const file = join(folder, 'long.cast');
    const stream = createWriteStream(file);
    await writeLongSession(
      (piece) =>
        new Promise((resolve, reject) => stream.write(piece, (error) => (error ? reject(error) : resolve()))),
    );
    await new Promise((resolve) => stream.end(resolve));
    const session = await readRecording(createReadStream(file));
    await writeSegments(session, async (path, bytes) => {
      await mkdir(dirname(join(folder, 'long', path)), { recursive: true });
      await writeFile(join(folder, 'long', path), bytes);
    });
    await using server = await serveFolder(folder, { port: 0 });
    const runs: Run[] = [];
    for (let n = 0; n < lab.runs; n++) runs.push(await watch(lab, server.url));
    const sought = runs.flatMap(({ seekMs }) => seekMs);
    const details = { runs: runs.length, fileMib: round((await stat(file)).size / 2 ** 20) };
    return {
      open_ms: {
        value: round(median(runs.map(({ openMs }) => openMs))),
        details: {
          ...details,
          from: 'the navigation, with the page in no cache, as a folder of segments',
          fileFirstFrameMs: round(median(runs.map(({ firstFrameMs }) => firstFrameMs))),
          fileMiddleMs: round(median(runs.map(({ middleMs }) => middleMs))),
          fileWholeMs: round(median(runs.map(({ wholeMs }) => wholeMs))),
        },
      },
      seek_ms: {
        value: round(percentile(sought, 0.95)),
        details: {
          ...{ ...details, medianMs: round(median(sought)), seeks: sought.length },
          whileReadingMs: round(median(runs.map(({ seekReadingMs }) => seekReadingMs))),
          memoryMib: runs.map(({ memoryMib }) => round(memoryMib)),
        },
      },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Run {
  /** The middle of the session as a folder of segments. */
  readonly openMs: number;
  /** The same session as one file: its first frame, its middle, and until all of it is in the index. */
  readonly firstFrameMs: number;
  readonly middleMs: number;
  readonly wholeMs: number;
  /** To the beginning again while the file is read, and then all over the whole. */
  readonly seekReadingMs: number;
  readonly seekMs: readonly number[];
  readonly memoryMib: number;
}

async function watch(lab: Lab, url: string): Promise<Run> {
  await using chromium = await lab.openChromium();
  const { page } = chromium;
  const openMs = await open(page, `${url}replay/?recording=../long/index.json#t=1800`);
  await page.goto('about:blank');
  const beganAt = performance.now();
  const firstFrameMs = await open(page, `${url}replay/?recording=../long.cast#t=0`);
  const [seekReadingMs = 0] = await page.evaluate(seekAround, { seeks: 1, seconds: 1 });
  await page.evaluate(seekTo, 1_800);
  const middleMs = performance.now() - beganAt;
  await page.getByRole('progressbar', { name: 'Reading the recording' }).waitFor({ state: 'detached' });
  const wholeMs = performance.now() - beganAt;
  const seekMs = await page.evaluate(seekAround, { seeks, seconds: longSession.seconds });
  const [memoryMib = 0] = await rendererMemory(chromium);
  return { openMs, firstFrameMs, middleMs, wholeMs, seekReadingMs, seekMs, memoryMib };
}

/** In the page. */
async function seekTo(at: number): Promise<void> {
  const player = document.querySelector('coppice-replay') as HTMLElement & {
    go(place: { at: number }): Promise<void>;
  };
  await player.go({ at });
}

/** From the navigation to the first frame. */
async function open(page: Page, url: string): Promise<number> {
  const beganAt = performance.now();
  await page.goto(url);
  const screen = page.getByRole('region', { name: 'What the terminal shows' });
  await screen.filter({ hasText: 'part-' }).waitFor({ state: 'attached' });
  return performance.now() - beganAt;
}

/** In the page: seeks to places all over the recording, each until it is drawn. */
async function seekAround(options: { seeks: number; seconds: number }): Promise<number[]> {
  const player = document.querySelector('coppice-replay') as HTMLElement & {
    go(place: { at: number }): Promise<void>;
  };
  const times: number[] = [];
  for (let n = 1; n <= options.seeks; n++) {
    const beganAt = performance.now();
    await player.go({ at: (n * 0.618_033_988 * options.seconds) % options.seconds });
    times.push(performance.now() - beganAt);
  }
  return times;
}
