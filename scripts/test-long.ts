// `npm run test:long`: what is long by nature, and so no part of `npm test`. Fuzzing a live bridge, and soaks.
import { parseArgs } from 'node:util';
import { runStep } from './run-step.ts';

const usage = `Usage: npm run test:long -- [--minutes 30]

Sends a live bridge 100,000 mutated archives and as many mutated requests, opens 10,000 connections to it, and then
runs each soak for so many minutes. COPPICE_FUZZ_RUNS is another number, COPPICE_FUZZ_SEED repeats a run.`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}

const soak = (what: string): string[] => ['node', 'test/soak/main.ts', what, '--minutes', values.minutes];
const steps: readonly [name: string, command: string[]][] = [
  ['fuzzing', ['vitest', 'run', '--project', 'long']],
  ['soak of the machine in the tab', soak('live')],
];
const broken: string[] = [];
for (const [name, command] of steps) {
  console.log(`\n${name}`);
  const { code } = await runStep(command);
  if (code !== 0) broken.push(name);
}
console.log(broken.length === 0 ? '\nAll in order' : `\nNot in order: ${broken.join(', ')}`);
process.exit(broken.length === 0 ? 0 : 1);
