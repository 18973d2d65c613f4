import { expect, test } from 'vitest';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import { commands, knownFile, knownPath, readWork, runScript, workOfShell } from '../fixtures/same-tree.ts';
import { imageObjects, openSandbox } from './open-sandbox.ts';

test(`B-8 H-4 a script gives the same tree in a shell and in the tab's machine (${commands.join(' ')})`, async () => {
  const inShell = await workOfShell();
  const store = new MemoryStore();
  const image = await imageObjects();
  await using sandbox = await openSandbox({ store });
  const tree = await runScript(sandbox);
  const inMachine = await readWork(async (id) => store.readSync(id) ?? image.read(id), tree);
  expect(inMachine.files[knownPath]).toMatchObject(knownFile);
  expect(inMachine.files).toEqual(inShell.files);
  expect(inMachine.id).toBe(inShell.id);
});
