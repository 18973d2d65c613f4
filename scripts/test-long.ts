// `npm run test:long`: what is long by nature, of which `npm test` runs a sample. Kinds of roots and users, kills, fuzzing, soaks.
import { mkdir, rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { buildSite } from './build-site.ts';
import { runStep } from './run-step.ts';
import { results, runTests, type TestRun } from './run-tests.ts';
import { addCounts, describeCount, type TestCount } from './test-count.ts';

const usage = `Usage: npm run test:long -- [--minutes 30] [PART…]

All parts take some six hours on two cores, so each can be run by itself: crashes, v86, host, page, fuzzing, soaks.

Runs the suites of a sandbox whole in v86, on every kind of root, for every user and level of isolation, 10,000 random
histories of the tree and 200 of each kind of root, all page tests in a visitor's browser, kills a bridge, a supervisor and a tab 60 times each, sends a live bridge
100,000 mutated archives and as many mutated requests, opens 10,000 connections to it, compares the times of commits, and then runs each soak for so many minutes. COPPICE_KILLS,
COPPICE_PROPERTY_RUNS and COPPICE_FUZZ_RUNS are other numbers, COPPICE_FUZZ_SEED repeats a run.`;

const parts = ['crashes', 'v86', 'host', 'page', 'fuzzing', 'soaks'] as const;
type Part = (typeof parts)[number];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '30' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}

const unknown = positionals.find((name) => !parts.some((part) => part === name));
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}".\n\n${usage}`);
  process.exit(2);
}
const isChosen = (part: Part): boolean => positionals.length === 0 || positionals.includes(part);

/** What makes tests that have a sample run all of it (test/sample.ts, and the first lines of these tests). */
const env = {
  COPPICE_LONG: '1',
  COPPICE_KILLS: process.env.COPPICE_KILLS ?? '60',
  COPPICE_PROPERTY_RUNS: process.env.COPPICE_PROPERTY_RUNS ?? '10000',
};
const sampled = {
  unit: [
    'tree/live/live-tree.property.test.ts',
    'test/crash',
    'sandbox/git/program',
    'runtimes/shell/git/command/git-differential',
  ],
  machine: ['test/machine'],
  host: ['test/host'],
};
const runs: readonly (TestRun & { readonly part: Part })[] = [
  {
    part: 'crashes',
    name: 'random histories and crashes',
    command: ['vitest', 'run', '--project', 'unit-*', ...sampled.unit],
  },
  { part: 'v86', name: 'v86', command: ['vitest', 'run', '--project', 'machine', ...sampled.machine] },
  {
    part: 'host',
    name: 'kinds of roots, users, and kills of a bridge and a supervisor',
    command: ['vitest', 'run', '--project', 'host', ...sampled.host],
  },
  {
    part: 'page',
    name: "the page with V8 as a visitor's browser has it, and kills of a tab",
    command: ['playwright', 'test'],
  },
  { part: 'fuzzing', name: 'fuzzing', command: ['vitest', 'run', '--project', 'long'] },
];
/** Each counts as one test. */
const soaks = [
  { name: 'soak of the machine in the tab', what: 'live' },
  { name: 'soak of the bridge', what: 'bridge' },
  { name: "soak of a folder's history", what: 'folder' },
];

await rm(results, { recursive: true, force: true });
await mkdir(results, { recursive: true });
// The tests of the page are served it from dist/site.
await buildSite({ images: ['debian'] });
let count: TestCount = { passed: 0, failed: 0, skipped: 0 };
const broken: string[] = [];
const failures: string[] = [];
for (const run of runs.filter(({ part }) => isChosen(part))) {
  console.log(`\n${run.name}`);
  const outcome = await runTests({ ...run, env, isShown: true });
  if (outcome.count) count = addCounts(count, outcome.count);
  failures.push(...outcome.failures);
  if (!outcome.isGood) broken.push(run.name);
}
for (const { name, what } of isChosen('soaks') ? soaks : []) {
  console.log(`\n${name}`);
  const { code } = await runStep(['node', 'test/soak/main.ts', what, '--minutes', values.minutes]);
  const isGood = code === 0;
  count = addCounts(count, { passed: isGood ? 1 : 0, failed: isGood ? 0 : 1, skipped: 0 });
  if (!isGood) broken.push(name);
}
if (broken.length > 0) console.log(`\nNot in order: ${broken.join(', ')}`);
for (const failure of failures) console.log(`FAIL ${failure}`);
console.log(`\n${describeCount(count)}`);
process.exit(broken.length === 0 && count.failed === 0 ? 0 : 1);
