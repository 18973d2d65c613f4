import { expect, test } from 'vitest';
import { ByteBudget } from './byte-budget.ts';

test('S-6 one account fills its share of the room for uploads, and others have theirs', () => {
  const budget = new ByteBudget({
    mostBytes: 100,
    mostBytesOfAccount: 60,
    name: 'uploads',
    refusal: 'Cannot take the upload',
  });
  const [first, second] = [budget.reserve('greedy'), budget.reserve('greedy')];
  first.resize(50);
  second.resize(10);
  const full = { code: 'busy', details: { limitBytes: 60 } };
  expect(() => second.resize(11)).toThrow(expect.objectContaining(full));
  // What did not fit changed nothing.
  expect(budget.usedBytes).toBe(60);
  using other = budget.reserve('other');
  other.resize(40);
  expect(() => other.resize(41)).toThrow(
    expect.objectContaining({ code: 'busy', details: { limitBytes: 100 } }),
  );
  first.resize(20);
  other.resize(60);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  second[Symbol.dispose]();
  expect(budget.usedBytes).toBe(60);
});
