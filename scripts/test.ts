// `npm test`: everything. Checks, unit tests, then the image and what runs on it. `npm test -- NAME` is a group or a file.
import { appendFileSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createProgress } from '../host/progress.ts';
import { buildSite } from './build-site.ts';
import { checks } from './checks.ts';
import { type Job, runSideBySide } from './run-side-by-side.ts';
import { runStep } from './run-step.ts';
import { results, runTests, type TestRun } from './run-tests.ts';
import { addCounts, describeCount, type TestCount } from './test-count.ts';
import { chooseTests, type TestGroup } from './test-groups.ts';
import { describeSlowest, type FileTime } from './test-times.ts';

/** Two groups use two cores whole, and tests that measure time fail when a third competes with them. */
const groupsAtOnce = Math.min(2, availableParallelism());

const chosen = choose();
await rm(results, { recursive: true, force: true });
await mkdir(results, { recursive: true });

let count: TestCount = { passed: 0, failed: 0, skipped: 0 };
const broken: string[] = [];
const failures: string[] = [];
const times: FileTime[] = [];
const running = new Set<string>();

// The longest first: what comes last has nothing beside it.
const jobs: readonly Job<TestGroup | 'image'>[] = [
  ...(chosen.has('machine') || chosen.has('page') ? [{ name: 'image' as const, run: buildImage }] : []),
  ...(chosen.has('checks') ? [{ name: 'checks' as const, run: runChecks }] : []),
  ...testJob('machine', { command: ['vitest', 'run', '--project', 'machine'], after: ['image'] }),
  ...testJob('page', { command: ['playwright', 'test'], after: ['image'] }),
  // After the image, or both would build it where it is missing.
  ...testJob('host', { command: ['vitest', 'run', '--project', 'host'], after: ['image'] }),
  ...testJob('unit', { command: ['vitest', 'run', '--project', 'unit-*'] }),
];
const begunMs = performance.now();
for (const name of await runSideBySide(jobs, { atOnce: groupsAtOnce })) {
  say(`FAIL ${name}: not run, as there is no image for it`);
  broken.push(name);
}
if (jobs.length > 1) say(`\nAll of it: ${secondsSince(begunMs)}`);
if (times.length > 1) say(['\nThe slowest files:', ...describeSlowest(times, 10)].join('\n'));
if (broken.length > 0) say(`\nNot in order: ${broken.join(', ')}`);
for (const failure of failures) say(`FAIL ${failure}`);
if (failures.length > 0) say(['\nFailed:', ...failures.map(nameOf)].join('\n  '));
say(`\n${describeCount(count)}`);
process.exit(broken.length === 0 && count.failed === 0 ? 0 : 1);

function choose(): ReturnType<typeof chooseTests> {
  try {
    return chooseTests(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

/** Prints lines; on a terminal, what runs stands below them. */
function say(text: string): void {
  const isTerminal = process.stdout.isTTY === true;
  process.stdout.write(`${isTerminal ? '\r\x1b[2K' : ''}${text}\n`);
  if (isTerminal && running.size > 0) process.stdout.write(`… ${[...running].join(', ')}`);
}

/** Its file and name, without its error. */
function nameOf(failure: string): string {
  return failure.split('\n', 1)[0] ?? '';
}

function secondsSince(startMs: number): string {
  return `${Math.round((performance.now() - startMs) / 1000)} s`;
}

/** What came of something that ran, and its output if it is not in order. */
function tell(name: string, { isGood, facts, output }: Outcome): boolean {
  say(`${isGood ? 'ok  ' : 'FAIL'} ${name} (${facts})`);
  if (isGood) return true;
  say(output);
  broken.push(name);
  return false;
}

interface Outcome {
  readonly isGood: boolean;
  /** Counts and times. */
  readonly facts: string;
  readonly output: string;
}

/** Does `work` while its name is shown as running. */
async function shown<T>(name: string, work: () => Promise<T>): Promise<T> {
  running.add(name);
  try {
    return await work();
  } finally {
    running.delete(name);
  }
}

async function runChecks(): Promise<boolean> {
  let isGood = true;
  for (const [name, command] of checks) {
    const startMs = performance.now();
    const { code, output } = await shown(name, () => runStep(command, { quiet: true }));
    isGood = tell(name, { isGood: code === 0, facts: secondsSince(startMs), output }) && isGood;
  }
  return isGood;
}

/** The image and the page, from the cache where they are there. Each step is in the log, and what a person should know is shown. */
async function buildImage(): Promise<boolean> {
  const log = join(results, 'image.log');
  const { step } = createProgress({ write: (text) => appendFileSync(log, text) });
  const startMs = performance.now();
  try {
    const progress = { step, note: say, warn: say };
    await shown('image', () => buildSite({ images: ['debian'], progress }));
    return tell('image', { isGood: true, facts: secondsSince(startMs), output: '' });
  } catch (error) {
    const output = `${await readFile(log, 'utf8').catch(() => '')}${(error as Error).stack}`;
    return tell('image', { isGood: false, facts: secondsSince(startMs), output });
  }
}

/** A group by a test runner, if it was asked for. */
function testJob(
  name: TestGroup,
  { command, after = [] }: { command: TestRun['command']; after?: readonly 'image'[] },
): [Job<TestGroup | 'image'>] | [] {
  const files = chosen.get(name);
  if (files === undefined) return [];
  const run = async (): Promise<boolean> => {
    const startMs = performance.now();
    const onStuck = (tests: string): void => say(`${name}: no test has ended for five minutes: ${tests}`);
    const outcome = await shown(name, () => runTests({ name, command: [...command, ...files], onStuck }));
    if (outcome.count) count = addCounts(count, outcome.count);
    failures.push(...outcome.failures);
    times.push(...outcome.times);
    const counts = outcome.count ? describeCount(outcome.count) : 'no results';
    const { isGood, output } = outcome;
    return tell(`${name} tests`, { isGood, facts: `${counts}, ${secondsSince(startMs)}`, output });
  };
  return [{ name, after, run }];
}
