// `npm run test:long`: what is long by nature, and so no part of `npm test`. Kills, fuzzing of a live bridge, soaks.
import { parseArgs } from 'node:util';
import { runStep } from './run-step.ts';

const usage = `Usage: npm run test:long -- [--minutes 30]

Kills a bridge and a tab 50 times each, sends a live bridge 100,000 mutated archives and as many mutated
requests, opens 10,000 connections to it, and then runs each soak for so many minutes. COPPICE_KILLS and
COPPICE_FUZZ_RUNS are other numbers, COPPICE_FUZZ_SEED repeats a run.`;

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
const kills = { COPPICE_KILLS: process.env.COPPICE_KILLS ?? '50' };
const steps: readonly { readonly name: string; readonly command: string[]; readonly env?: typeof kills }[] = [
  {
    name: 'kills of a bridge',
    command: ['vitest', 'run', '--project', 'host', 'test/host/bridge-kill.test.ts'],
    env: kills,
  },
  { name: 'kills of a tab', command: ['playwright', 'test', 'tab-kill', '--reporter=line'], env: kills },
  { name: 'fuzzing', command: ['vitest', 'run', '--project', 'long'] },
  { name: 'soak of the machine in the tab', command: soak('live') },
  { name: 'soak of the bridge', command: soak('bridge') },
];
const broken: string[] = [];
for (const { name, command, env } of steps) {
  console.log(`\n${name}`);
  const { code } = await runStep(command, env ? { env } : {});
  if (code !== 0) broken.push(name);
}
console.log(broken.length === 0 ? '\nAll in order' : `\nNot in order: ${broken.join(', ')}`);
process.exit(broken.length === 0 ? 0 : 1);
