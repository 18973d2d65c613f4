import { expect, test } from 'vitest';
import { runScript } from '../fixtures/run-script.ts';

test('A pipeline lists the history of its shell', async () => {
  const script = 'history -s one; history -s "two words"; history | tail -n 1; (history -c); history 1';
  expect(await runScript(script)).toMatchObject({ stdout: '    2  two words\n    2  two words\n' });
});

test('The history keeps the newest commands', async () => {
  const script = 'for i in {1..1200}; do history -s "$i"; done; history | wc -l; history | head -n 1';
  expect(await runScript(script)).toMatchObject({ stdout: '500\n    1  701\n' });
});
