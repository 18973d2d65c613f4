// `npm test`: everything. Checks, unit tests, then the image and what runs on it. `npm test -- NAME` is a group or a file.
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSite } from './build-site.ts';
import { root, runStep } from './run-step.ts';
import { addCounts, playwrightCount, type TestCount, vitestCount } from './test-count.ts';
import { chooseTests, type TestGroup } from './test-groups.ts';

const chosen = choose();
const results = join(root, 'test-results');
await rm(results, { recursive: true, force: true });
await mkdir(results, { recursive: true });

let count: TestCount = { passed: 0, failed: 0, skipped: 0 };
const broken: string[] = [];
const times: string[] = [];

if (chosen.has('checks')) {
  await runCheck('format and lint', ['biome', 'check', '--error-on-warnings', '.']);
  await runCheck('types and layers', ['tsc', '-b']);
  await runCheck('unused code', ['knip']);
}
await runTests('unit', ['vitest', 'run', '--project', 'unit'], vitestCount);
if (chosen.has('machine') || chosen.has('page'))
  await timed('image', () => buildSite({ images: ['debian'] }));
await runTests('machine', ['vitest', 'run', '--project', 'machine'], vitestCount);
await runTests('host', ['vitest', 'run', '--project', 'host'], vitestCount);
await runTests('page', ['playwright', 'test'], playwrightCount);

if (times.length > 0) console.log(`\nTimes: ${times.join(', ')}`);
if (broken.length > 0) console.log(`\nNot in order: ${broken.join(', ')}`);
console.log(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
process.exit(broken.length === 0 && count.failed === 0 ? 0 : 1);

function choose(): ReturnType<typeof chooseTests> {
  try {
    return chooseTests(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

/** Does it, and notes how long it took. */
async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const begunMs = performance.now();
  try {
    return await work();
  } finally {
    times.push(`${name} ${Math.round((performance.now() - begunMs) / 1000)} s`);
  }
}

async function runCheck(name: string, command: string[]): Promise<void> {
  const { code, output } = await runStep(command, { quiet: true });
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}`);
  if (code === 0) return;
  console.log(output);
  broken.push(name);
}

/** Runs a test runner that writes its results as JSON, and adds them up; one that wrote none has failed. */
async function runTests(
  name: TestGroup,
  command: string[],
  parse: (json: string) => TestCount,
): Promise<void> {
  const files = chosen.get(name);
  if (files === undefined) return;
  const file = join(results, `${name}.json`);
  const [runner] = command;
  const reporters =
    runner === 'vitest'
      ? ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`]
      : ['--reporter=line,json'];
  console.log(`\n${name} tests`);
  const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: file };
  const { code } = await timed(name, () => runStep([...command, ...files, ...reporters], { env }));
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) count = addCounts(count, parse(text));
  if (code !== 0 || text === undefined) broken.push(`${name} tests`);
}
