import { expect, test } from 'vitest';
import { runScript } from '../fixtures/run-script.ts';

test.each([
  ["printf '%.1100f' 1 | tail -c 30", '0'.repeat(30)],
  ["printf '%.6000000f' 1 | wc -c", '6000002\n'],
  ["printf '%.6000000g %.3g' 1 1234567", '1 1.23e+06'],
  ["printf '%.1080f' 5e-324 | tail -c 12", '265625000000'],
])('%s', async (script, stdout) => {
  expect((await runScript(script)).stdout).toBe(stdout);
});

test('A precision that no value has room for is refused', async () => {
  expect(await runScript("printf '%.60000000f' 1")).toMatchObject({ limit: 'valueLength' });
});
