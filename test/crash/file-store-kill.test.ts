import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { deleteHostStore, openHostStore } from '../../bridge-server/stores/open-host-store.ts';
import { brokenPromises } from './numbered-commits.ts';

/** A sample; `npm run test:long` asks for more. */
const kills = Number(process.env.COPPICE_KILLS ?? 10);
const committer = fileURLToPath(new URL('./committer.ts', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'coppice-kill-'));
afterAll(() => rmSync(root, { recursive: true }));

/**
 * Starts a process that commits, kills it soon after it has begun to open the store or after its first commit, and
 * resolves to the last commit that it acknowledged.
 */
async function killCommitter(id: string, isOpen: boolean): Promise<number> {
  const child = spawn(process.execPath, [committer, root, id], { stdio: ['ignore', 'pipe', 'inherit'] });
  const isTime = isOpen ? /\d/ : /opening/;
  const killSoon = (bytes: Buffer) => {
    if (!isTime.test(String(bytes))) return;
    child.stdout.off('data', killSoon);
    setTimeout(() => child.kill('SIGKILL'), Math.random() * 60);
  };
  child.stdout.on('data', killSoon);
  const ended = new Promise<string | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  const lines = (await text(child.stdout)).split('\n');
  expect(await ended).toBe('SIGKILL');
  // What follows the last line break was not said to the end.
  const numbers = lines.slice(0, -1).map(Number);
  return numbers.findLast(Number.isInteger) ?? 0;
}

test.concurrent.each(['one', 'two'])(
  'H-4 a process killed at any instant loses nothing that it acknowledged and leaves nothing in the way: store %s',
  async (id) => {
    let acknowledged = 0;
    for (let round = 0; round < kills / 2; round++) {
      acknowledged = Math.max(acknowledged, await killCommitter(id, round % 2 === 1));
      // Killed before it made the folder, it has promised nothing.
      if (!readdirSync(root).includes(id)) continue;
      await using store = await openHostStore(root, id);
      expect(await brokenPromises(store, acknowledged)).toEqual([]);
      expect(readdirSync(join(root, id))).toEqual(['lock', expect.stringMatching(/^log-\d+$/)]);
    }
    expect(acknowledged).toBeGreaterThan(0);
    await deleteHostStore(root, id);
    expect(readdirSync(root)).not.toContain(id);
  },
  120_000,
);
