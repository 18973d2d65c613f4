// The fast loop: format and lint, types and layers, unused code, unit tests. Under a minute.
import { runStep } from './run-step.ts';

const steps: [name: string, command: string[]][] = [
  ['format and lint', ['biome', 'check', '--error-on-warnings', '.']],
  ['types and layers', ['tsc', '-b']],
  ['unused code', ['knip']],
  ['unit tests', ['vitest', 'run', '--project', 'unit']],
];

let failed = false;
for (const [name, command] of steps) {
  const startedMs = performance.now();
  const { code, output } = await runStep(command, { quiet: true });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  if (code === 0) continue;
  console.log(output);
  failed = true;
}
process.exit(failed ? 1 : 0);
