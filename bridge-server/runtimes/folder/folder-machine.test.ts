import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { FolderMachine } from './folder-machine.ts';

const root = mkdtempSync(join(tmpdir(), 'coppice-folder-machine-'));
afterAll(() => rmSync(root, { recursive: true }));

test('H-4 a snapshot is not told to have failed for the note beside it, which may be lost', async () => {
  const folder = join(root, 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'file'), 'content');
  const lookedPath = join(root, 'store', 'looked');
  const trees = { load: () => new LiveTree().snapshot(), readOnly: false };
  const [intentionPath, rulesPath] = [join(root, 'store', 'intention'), join(root, 'store', 'rules')];
  await using machine = new FolderMachine(new LiveTree(), trees, {
    folder,
    lookedPath,
    rulesPath,
    intentionPath,
  });
  machine.published();
  await machine.sync();
  machine.published();
  mkdirSync(join(root, 'store'));
  machine.published();
  expect(Number(readFileSync(lookedPath, 'utf8').split('\n')[0])).toBeGreaterThan(0);
});
