// The fast loop: format and lint, types and layers, circles, unused code, unit tests. Three to four minutes.
import { checks } from './checks.ts';
import { runStep } from './run-step.ts';

const steps = [...checks, ['unit tests', ['vitest', 'run', '--project', 'unit-*']] as const];

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
