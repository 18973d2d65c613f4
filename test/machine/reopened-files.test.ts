import { expect, test } from 'vitest';
import type { Sandbox } from '../../sdk/sandbox.ts';
import { tarOf } from '../fixtures/hostile-tars.ts';
import { KeptStore } from './kept-store.ts';
import { openSandbox } from './open-sandbox.ts';

/** Directories full enough that a stored tree has a file for each inode number that the image gave to what a shell holds. */
const directories = 40;
const filesInEach = 32;

const members = Array.from({ length: directories * filesInEach }, (_, index) => {
  const path = `d${Math.floor(index / filesInEach)}/f${index % filesInEach}`;
  return { path, content: `${path}\n` };
});

async function* inOnePiece(): AsyncGenerator<Uint8Array, void> {
  yield tarOf(...members);
}

/** The files of which the guest reads something else than their own paths. */
async function foreignContent(sandbox: Sandbox): Promise<string> {
  const { stdout } = await sandbox.run(
    'cd ~/made && grep -r "" . | sed "s/^\\.\\///" | awk -F: \'{ count++; if ($1 != $2) print } END { print count }\'',
  );
  return stdout;
}

test('H-4 a machine that starts with changed files reads each one’s own content, also those whose inode numbers the image gave to what its shell holds', async () => {
  const store = new KeptStore();
  {
    await using sandbox = await openSandbox({ store });
    await sandbox.run('mkdir ~/made');
    await sandbox.importTar(inOnePiece(), { path: '/home/user/made' });
    await sandbox.createSnapshot();
  }
  const count = `${members.length}\n`;
  {
    await using sandbox = await openSandbox({ store, keepsRunning: true });
    expect(await foreignContent(sandbox)).toBe(count);
    await expect.poll(() => store.running()?.memory, { timeout: 60_000 }).toBeDefined();
  }
  // What ran goes on, with the numbers that its guest knows, and asks for all others anew.
  await using sandbox = await openSandbox({ store, keepsRunning: true });
  await sandbox.run('echo 3 > /proc/sys/vm/drop_caches', { user: 'root' });
  expect(await foreignContent(sandbox)).toBe(count);
});
