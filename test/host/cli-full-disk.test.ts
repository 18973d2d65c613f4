import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inRepository } from '../../host/repository.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();

describe.skipIf(lack)(`commands on a full disk${lack ? ` (not here: ${lack})` : ''}`, () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coppice-cli-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder]);
  });

  afterAll(async () => {
    execFileSync('umount', [folder]);
    await rm(folder, { recursive: true });
  });

  test('R-4 H-4 what could not be stored is said, with an exit code; what is there can be read and deleted', async () => {
    expect(run('create', 'work', '--runtime', 'shell').code).toBe(0);
    expect(run('create', 'other', '--runtime', 'shell').code).toBe(0);
    expect(run('exec', '-s', 'work', '--', 'sh', '-c', 'echo one > file').code).toBe(0);
    const large = ['sh', '-c', 'head -c 15000000 /dev/urandom > large'];
    expect(run('exec', '-s', 'work', '--', ...large)).toEqual({
      code: 8,
      output: 'coppice: The last changes of "work" are lost: Cannot save to the store: the disk is full\n',
    });
    // Nothing is left of the disk, for a jail to be tried either.
    await writeFile(join(folder, 'fill'), Buffer.alloc(16 * 2 ** 20)).catch(() => undefined);
    expect(run('exec', '-s', 'work', '--', 'cat', 'file')).toEqual({ code: 0, output: 'one\n' });
    expect(run('delete', 'other', '--yes').code).toBe(0);
    await rm(join(folder, 'fill'));
    expect(run('exec', '-s', 'work', '--', 'sh', '-c', 'echo two > file; cat file')).toEqual({
      code: 0,
      output: 'two\n',
    });
  });

  function run(...args: string[]): { readonly code: number; readonly output: string } {
    const root = join(folder, 'root');
    const line = '"$0" "$@" 2>&1; echo "exit $?"';
    const output = execFileSync(
      'sh',
      ['-c', line, process.execPath, '--no-warnings', inRepository('cli/main.ts'), ...args],
      { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: process.env.HOME, COPPICE_ROOT: root } },
    );
    const [, said = '', code] = /^([\s\S]*)exit (\d+)\n$/.exec(output) ?? [];
    return { code: Number(code), output: said };
  }
});
