import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { probeCores } from './probe-cores.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

/** A /proc that says these. */
async function procOf({
  pattern,
  hardest = 'unlimited',
  capabilities = '0',
}: Record<string, string>): Promise<string> {
  const proc = await mkdtemp(join(tmpdir(), 'coppice-proc-'));
  stack.defer(() => rm(proc, { recursive: true }));
  for (const folder of ['sys/kernel', 'self']) await mkdir(join(proc, folder), { recursive: true });
  await writeFile(join(proc, 'sys/kernel/core_pattern'), `${pattern}\n`);
  await writeFile(join(proc, 'self/limits'), `Limit\nMax core file size        0    ${hardest}   bytes\n`);
  await writeFile(join(proc, 'self/status'), `Name:\tnode\nCapEff:\t${capabilities.padStart(16, '0')}\n`);
  return proc;
}

test.each([
  [{ pattern: 'core.%p' }, 'works', /files here/],
  [
    { pattern: '|/usr/share/apport/apport -p%p' },
    'works',
    /pipe to \/usr\/share\/apport\/apport, which is not started/,
  ],
  [{ pattern: '|/bin/x', hardest: '0' }, 'missing', /a limit of 0, which does not stop it/],
  [{ pattern: '|/bin/x', hardest: '0', capabilities: '1000000' }, 'works', /not started/],
  [{ pattern: '@/run/cores.socket' }, 'missing', /the socket @\/run\/cores.socket, to which the kernel goes/],
] as const)('S-5 whether cores of jails reach a handler of the host: %o', async (host, type, why) => {
  const found = await probeCores(await procOf(host));
  expect(found.type).toBe(type);
  expect(found.type === 'works' ? found.how : found.reason).toMatch(why);
});
