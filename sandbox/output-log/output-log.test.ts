import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { SessionNumbers } from '../../recording/edit/session-numbers.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import { History } from '../../tree/history/history.ts';
import { outputRefs } from '../../tree/history/history-refs.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import type { Commit } from '../../tree/objects/sandbox-store.ts';
import { type ProcessTap, SessionTaps } from '../processes/session-taps.ts';
import { OutputBatches } from './output-batches.ts';
import { OutputLog } from './output-log.ts';
import { readOutput } from './read-output.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const exited = { exitCode: 0, signal: undefined, reason: 'exited' } as const;
const none = new SandboxError('storage-full', 'Cannot save: the disk is full');

/** A sandbox as its log sees it, which runs on this store. */
class Run {
  readonly taps = new SessionTaps();
  readonly log: OutputLog;
  hasBegun = true;
  stopped: SandboxError | undefined;
  collections = 0;

  constructor(store: MemoryStore, envs?: Record<string, string>) {
    this.log = new OutputLog({
      ...{ taps: this.taps, envs, subscribe: () => () => undefined },
      batches: new OutputBatches({ store, history: History.open(store) }),
      hasBegun: () => this.hasBegun,
      stopped: () => this.stopped,
      collect: async () => void this.collections++,
    });
  }

  terminal(): ProcessTap {
    const size = { columns: 100, rows: 30 };
    return this.taps.open({ text: 'bash', argv: ['/bin/bash', '--login'], by: 'exec', size });
  }

  command(text: string, output: string): void {
    const process = this.taps.open({ text, by: 'exec' });
    process.output('stdout', bytes(output));
    process.end(exited);
  }
}

async function eventsIn(store: MemoryStore, from = 0): Promise<RecordingEvent[]> {
  const batches = new OutputBatches({ store, history: History.open(store) });
  const read: RecordingEvent[] = [];
  const options = { batches, numbers: new SessionNumbers(), isContinued: false };
  for await (const events of readOutput(batches.list().slice(from), options))
    read.push(...events.map(({ event }) => event));
  return read;
}

const shownOn = (events: readonly RecordingEvent[], terminal: number) =>
  events.map((event) => (event.type === 'output' && event.terminal === terminal ? event.data : '')).join('');
const notesOf = (events: readonly RecordingEvent[]) =>
  events.flatMap((event) => (event.type === 'note' ? [event.text] : []));
const sizeOf = (store: MemoryStore) => outputRefs(store).reduce((sum, { id }) => sum + store.sizeOf(id), 0);

/** Text that hardly gets smaller. */
function noise(length: number): string {
  const made: string[] = [];
  for (let at = 0; at < length; at += 60_000)
    made.push(
      Buffer.from(crypto.getRandomValues(new Uint8Array(45_000)))
        .toString('base64')
        .slice(0, length - at),
    );
  return made.join('').replaceAll(/.{100}/g, '$&\n');
}

test('P-1 two lives of a sandbox are one session: commands count on, terminals of the first are closed, and its screen is empty again', async () => {
  const store = new MemoryStore();
  const first = new Run(store);
  const [terminal, other] = [first.terminal(), first.terminal()];
  terminal.output('stdout', bytes('first life '));
  other.output('stdout', bytes('beside it'));
  first.command('make', 'made\n');
  await first.log.flush();
  terminal.output('stdout', bytes('goes on'));
  await first.log.close();
  const second = new Run(store);
  second.terminal().output('stdout', bytes('second life'));
  second.command('make test', 'tested\n');
  await second.log.close();

  expect(outputRefs(store).map(({ number, run }) => [number, run])).toEqual([
    [1, 1],
    [2, 1],
    [3, 2],
  ]);
  const events = await eventsIn(store);
  expect(shownOn(events, 1)).toBe('first life goes on\x1bcsecond life');
  expect(events.filter(({ type }) => type === 'terminal-end')).toEqual([
    { type: 'terminal-end', terminal: 2 },
    { type: 'terminal-end', terminal: 3 },
  ]);
  expect(shownOn(events, 4)).toContain('tested\r\n');
  const commands = events.flatMap((event) => ('command' in event ? [`${event.type} ${event.command}`] : []));
  expect(commands).toEqual(['command 1', 'command-end 1', 'command 2', 'command-end 2']);
});

test('P-1 what was held as the beginning of a secret is there in the end', async () => {
  const store = new MemoryStore();
  const run = new Run(store);
  run.terminal().output('stdout', bytes('the key is sk-live'));
  await run.log.flush();
  expect(shownOn(await eventsIn(store), 1)).not.toContain('sk-live');
  await run.log.close();
  expect(shownOn(await eventsIn(store), 1)).toBe('the key is sk-live');
});

test('P-1 what began before the ring is given a beginning, and no end', async () => {
  const store = new MemoryStore();
  const run = new Run(store);
  run.terminal();
  const second = run.terminal();
  const long = run.taps.open({ text: 'make', by: 'exec' });
  long.output('stdout', bytes('gone'));
  await run.log.flush();
  second.output('stdout', bytes('kept'));
  long.end(exited);
  await run.log.close();
  const events = await eventsIn(store, 1);
  expect(events[0]).toEqual({ type: 'resize', terminal: 1, columns: 100, rows: 30 });
  expect(events[1]).toEqual({ type: 'terminal', terminal: 2, title: 'bash', columns: 100, rows: 30 });
  expect(shownOn(events, 2)).toBe('kept');
  expect(events.filter(({ type }) => type === 'command-end')).toEqual([]);
});

test('P-1 R-6 a program that prints without end keeps within the ring, the oldest go first, and a sweep keeps what is left and frees the rest', async () => {
  const store = new MemoryStore();
  const history = History.open(store);
  const batches = new OutputBatches({ store, history });
  const piece = 300_000;
  const ids: string[] = [];
  for (let count = 0; count < 40; count++) {
    await batches.add(bytes(noise(piece)));
    ids.push(batches.list().at(-1)?.id ?? '');
    expect(sizeOf(store)).toBeLessThanOrEqual(limits.outputLogBytes);
  }
  const kept = batches.list();
  expect(kept.map(({ id }) => id)).toEqual(ids.slice(-kept.length));
  expect(sizeOf(store)).toBeGreaterThan(limits.outputLogBytes - 2 * piece);
  await history.collect();
  expect(store.sizeBytes).toBe(sizeOf(store));
  for (const ref of kept) expect(batches.read(ref)?.length).toBeGreaterThan(piece);

  // A log that is written as fast as it can be takes one ring, then a little each second, and says so.
  const flood = new MemoryStore();
  const run = new Run(flood);
  const process = run.taps.open({ text: 'cat /dev/urandom', by: 'exec' });
  for (let shown = 0; shown < 2 * limits.outputLogBytes; shown += 2_000_000) {
    process.output('stdout', bytes(noise(2_000_000)));
    await run.log.flush();
  }
  expect(flood.sizeBytes).toBeLessThan(1.5 * limits.outputLogBytes);
  expect(sizeOf(flood)).toBeLessThanOrEqual(limits.outputLogBytes);
});

test('P-1 many small batches have a bound as well', async () => {
  const store = new MemoryStore();
  const batches = new OutputBatches({ store, history: History.open(store) });
  const id = '0'.repeat(63);
  await store.commit({
    objects: [],
    refs: Array.from({ length: limits.outputLogBatches }, (_, at) => ({
      name: `output/${at + 1}`,
      value: `${id}1 1`,
    })),
  });
  await batches.add(bytes('x'));
  expect(batches.list()).toHaveLength(limits.outputLogBatches);
  expect(batches.list()[0]?.number).toBe(2);
});

test('P-1 B-10 H-4 a store without room loses what was shown, the next batch says so, and files that cannot be saved come first', async () => {
  const commits: Commit[] = [];
  const store = new (class extends MemoryStore {
    isFull = false;
    override async commit(commit: Commit): Promise<void> {
      commits.push(commit);
      if (this.isFull) throw none;
      await super.commit(commit);
    }
  })();
  const run = new Run(store);
  store.isFull = true;
  run.command('make', 'lost\n');
  await run.log.flush();
  expect(commits).toHaveLength(1);
  run.stopped = none;
  run.command('make', 'lost, too\n');
  await run.log.flush();
  expect(commits).toHaveLength(1);
  store.isFull = false;
  run.stopped = undefined;
  run.command('echo', 'kept\n');
  await run.log.close();
  const events = await eventsIn(store);
  expect(notesOf(events)).toEqual([
    expect.stringMatching(/^About \d+ characters .* were not kept: Cannot save: the disk is full$/),
  ]);
  expect(shownOn(events, 1)).toMatch(/^\S+ echo\r\nkept\r\n$/);
});

test('P-1 nothing is stored before there is a first snapshot, and then what was shown before it', async () => {
  const store = new MemoryStore();
  const run = new Run(store);
  run.hasBegun = false;
  run.command('true', 'early\n');
  await run.log.flush();
  expect(store.sizeBytes).toBe(0);
  run.hasBegun = true;
  await run.log.close();
  expect(shownOn(await eventsIn(store), 1)).toContain('early');
  const never = new Run(new MemoryStore());
  never.hasBegun = false;
  never.command('true', '');
  await never.log.close();
});

test('P-1 no secret is at rest, also where it came in two pieces or with a process', async () => {
  const store = new MemoryStore();
  const run = new Run(store, { API_TOKEN: 'correct-horse-battery' });
  const process = run.taps.open({ text: 'deploy', by: 'exec', envs: { OTHER_PASSWORD: 'staple-staple' } });
  process.output('stdout', bytes('token correct-horse-'));
  await run.log.flush();
  process.output('stdout', bytes('battery and staple-staple\n'));
  process.output('stdout', bytes('a line that says nothing\n'.repeat(100)));
  process.end(exited);
  await run.log.close();
  const batches = outputRefs(store).map(({ id }) => (store.readSync(id) ?? bytes('')).subarray(1));
  const texts = batches.map((batch) => (batch[0] === 0x1f ? gunzipSync(batch) : batch));
  const stored = Buffer.concat(texts).toString();
  expect(stored).not.toMatch(/correct-horse|battery|staple/);
  expect(shownOn(await eventsIn(store), 1)).toMatch(
    /token <secret:value:\w{8}> and <secret:value:\w{8}>\r\n/,
  );
});

test('P-1 H-4 one batch that is damaged is missing, which the session says, and the others are there', async () => {
  const store = new MemoryStore();
  const run = new Run(store);
  for (const text of ['one', 'two', 'three']) {
    run.command('echo', text);
    await run.log.flush();
  }
  await run.log.close();
  const [, second] = outputRefs(store);
  await store.sweep(new Set(outputRefs(store).flatMap(({ id }) => (id === second?.id ? [] : [id]))));
  const events = await eventsIn(store);
  expect(notesOf(events)).toEqual([expect.stringContaining('is missing')]);
  expect(shownOn(events, 1)).toMatch(/one.*three/s);
  expect(shownOn(events, 1)).not.toContain('two');
});
