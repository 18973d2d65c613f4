import { expect, test } from 'vitest';
import { Shares } from './shares.ts';

const shares = () => new Shares({ most: 3, mostOfAccount: 2, name: 'things' });

test('S-6 nobody gets more than the share of an account, nor all of them more than there is', () => {
  const things = shares();
  things.take('anna', 'Cannot hold it');
  things.take('anna', 'Cannot hold it');
  expect(() => things.take('anna', 'Cannot hold it')).toThrow(
    expect.objectContaining({
      code: 'busy',
      message: 'Cannot hold it: this token and its kin have 2 things, which is their share',
      details: { limit: 2 },
    }),
  );
  things.take('berta', 'Cannot hold it');
  expect(() => things.take('clara', 'Cannot hold it')).toThrow(
    expect.objectContaining({
      code: 'busy',
      message: 'Cannot hold it: there are 3 things, which is the most',
      details: { limit: 3 },
    }),
  );
  expect(things.count).toBe(3);
});

test('what is given back can be taken again, and giving it back twice counts once', () => {
  const things = shares();
  const giveBack = things.take('anna', 'Cannot hold it');
  things.take('anna', 'Cannot hold it');
  giveBack();
  giveBack();
  expect(things.count).toBe(1);
  things.take('anna', 'Cannot hold it');
  expect(() => things.take('anna', 'Cannot hold it')).toThrow('their share');
});
