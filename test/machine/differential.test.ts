import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { knownDifferences } from './differential/known-differences.ts';
import { openSandbox } from './open-sandbox.ts';

/** What each scenario saw, line by line. */
type Traces = Readonly<Record<string, readonly string[]>>;

const scripts = join(import.meta.dirname, 'differential');
const traces = await traceBoth();

describe('a scenario sees the same on tmpfs and on the root of the sandbox', () => {
  test.each(Object.keys(traces.tmpfs))('9P %s', (scenario) => {
    const tmpfs = traces.tmpfs[scenario] ?? [];
    const root = traces.root[scenario] ?? [];
    const differences = tmpfs.flatMap((line, index) => {
      const other = root[index] ?? '(nothing)';
      return other === line ? [] : [{ tmpfs: line, root: other }];
    });
    const known = (knownDifferences[scenario] ?? []).map(({ tmpfs, root }) => ({ tmpfs, root }));
    expect(differences).toEqual(known);
    expect(root.length).toBe(tmpfs.length);
    expect(tmpfs.filter((line) => line.startsWith('child failed'))).toEqual([]);
    expect(tmpfs.length).toBeGreaterThan(0);
  });

  test('every known difference is of a scenario that exists', () => {
    expect(Object.keys(traces.tmpfs)).toEqual(expect.arrayContaining(Object.keys(knownDifferences)));
  });
});

/** Runs differential/run.py in the guest, as root (it drops caches), once per file system. */
async function traceBoth(): Promise<{ tmpfs: Traces; root: Traces }> {
  await using sandbox = await openSandbox();
  const archive = execFileSync('tar', ['-c', '-C', scripts, '--exclude=*.ts', '.']);
  await sandbox.run('mkdir /scripts && tar -x -C /scripts', { user: 'root', stdin: archive });
  await sandbox.run('mkdir /on-root /on-tmpfs && mount -t tmpfs tmpfs /on-tmpfs', { user: 'root' });
  const trace = async (directory: string): Promise<Traces> => {
    const { stdout, stderr } = await sandbox.run(['python3', '-B', '/scripts/run.py', directory], {
      user: 'root',
    });
    expect(stderr).toBe('');
    return JSON.parse(stdout) as Traces;
  };
  return { tmpfs: await trace('/on-tmpfs'), root: await trace('/on-root') };
}
