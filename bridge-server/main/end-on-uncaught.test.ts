import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorTable } from '../../protocol/errors.ts';

const file = join(import.meta.dirname, 'end-on-uncaught.ts');

test.each([
  ['uncaughtException', 'setImmediate(() => { throw new TypeError("line\\nbreak"); });'],
  ['unhandledRejection', 'Promise.reject(new TypeError("line\\nbreak"));'],
])('S-6 an error that nobody catches is one record of the log and the end (%s)', (origin, work) => {
  const script = `import { endOnUncaught } from ${JSON.stringify(file)}; endOnUncaught(); ${work} setInterval(() => {}, 1e6);`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  expect(status).toBe(errorTable.internal.exitCode);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(JSON.parse(stderr)).toMatchObject({
    level: 60,
    origin,
    message: 'line\nbreak',
    stack: expect.stringContaining('TypeError'),
  });
});
