import { expect, test } from 'vitest';
import { Subvolumes } from './subvolumes.ts';

test.each(['/bin/false', '/nowhere/launcher'])(
  'H-8 what %s does not answer fails, each time',
  async (program) => {
    await using subvolumes = new Subvolumes(program);
    for (let attempt = 0; attempt < 2; attempt++) {
      const asked = ['/a/one', '/a/two'].map((path) => subvolumes.create(path));
      const settled = await Promise.allSettled(asked);
      expect(settled.map((result) => result.status === 'rejected' && result.reason)).toEqual([
        expect.objectContaining({
          code: 'internal',
          message: expect.stringContaining('Cannot make /a/one: '),
        }),
        expect.objectContaining({
          code: 'internal',
          message: expect.stringContaining('Cannot make /a/two: '),
        }),
      ]);
    }
  },
);
