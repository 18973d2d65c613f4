import { expect, test } from 'vitest';
import { applyPatch } from './patch-v86.ts';

test('a text of v86 is replaced where it is there once', () => {
  const patch = { name: 'call it twice', edits: [['f()', 'f(),f()']] } as const;
  expect(applyPatch('a=1;f();b=2', patch)).toBe('a=1;f(),f();b=2');
});

test('a version of v86 without the text, or with more of it, is refused by name', () => {
  const patch = { name: 'call it twice', edits: [['f()', 'f(),f()']] } as const;
  expect(() => applyPatch('a=1;g()', patch)).toThrow('call it twice');
  expect(() => applyPatch('f();f()', patch)).toThrow('call it twice');
});
