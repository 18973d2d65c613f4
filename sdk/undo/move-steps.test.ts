import { expect, test, vi } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { Sandbox } from '../sandbox.ts';
import { redoSteps, undoSteps } from './move-steps.ts';
import { notePreviousHead } from './previous-head.ts';

const steps = { count: 1, remedy: '' };

test('R-5 what has moved is told with the way back, and a warning where its tag could not be set', async () => {
  await using sandbox = await Sandbox.create({ backend: shellBackend() });
  await sandbox.createSnapshot({ label: 'first' });
  await sandbox.run('echo one > file');
  const { id: made } = await sandbox.createSnapshot({ label: 'second' });
  const refuse = vi.spyOn(sandbox.history, 'setTag');
  refuse.mockRejectedValueOnce(new SandboxError('storage-full', 'The disk is full'));
  const undone = await undoSteps(sandbox, steps);
  expect(undone).toMatchObject({
    previousHead: made,
    warning: 'It is done, but the tag ORIG_HEAD could not be set: The disk is full',
  });
  // What was undone was noted all the same.
  expect((await redoSteps(sandbox, steps)).head).toBe(made);
  refuse.mockRejectedValueOnce(new SandboxError('storage-full', 'The disk is full'));
  const moved = await notePreviousHead(sandbox, await sandbox.checkout(undone.head));
  expect(moved).toMatchObject({ previousHead: made, warning: expect.stringContaining('ORIG_HEAD') });
  expect(await notePreviousHead(sandbox, await sandbox.checkout(made))).not.toHaveProperty('warning');
});
