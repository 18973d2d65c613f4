import { expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { heldFiles } from './held-files.ts';

test('P-3 where all files are those of the image, a recording holds none', () => {
  const objects = {
    holds: () => false,
    read: () => {
      throw new SandboxError('asset-unavailable', 'There is no image');
    },
  };
  const tree = heldFiles('0'.repeat(64) as ObjectId, objects);
  expect(tree.usage().usedInodes).toBe(new LiveTree().usage().usedInodes);
});
