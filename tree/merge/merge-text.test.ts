import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeText } from './merge-text.ts';

function merge(base: string, ours: string, theirs: string, prefer?: 'ours' | 'theirs'): string | undefined {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const merged = mergeText({ base: bytes(base), ours: bytes(ours), theirs: bytes(theirs) }, { prefer });
  return merged && new TextDecoder().decode(merged);
}

describe('texts that both sides changed (X-7)', () => {
  test('have the lines of both; the same lines changed are a conflict', () => {
    expect(merge('a\nb\nc\nd\n', 'A\nb\nc\nd\n', 'a\nb\nc\nD\ne')).toBe('A\nb\nc\nD\ne');
    expect(merge('a\nb\nc\n', 'a\nB\nc\n', 'a\nB\nc\nd\n')).toBe('a\nB\nc\nd\n');
    expect(merge('a\nb\nc\n', 'a\nc\n', 'a\nx\nc\n')).toBeUndefined();
    expect(merge('', 'ours\n', 'theirs\n')).toBeUndefined();
  });

  test('with a side preferred, that one has the places where both changed something, and each its own places', () => {
    const base = 'a\nb\nc\nd\ne\n';
    const [ours, theirs] = ['A\nb\nours\nd\ne\n', 'a\nb\ntheirs\nd\nE\n'];
    expect(merge(base, ours, theirs, 'theirs')).toBe('A\nb\ntheirs\nd\nE\n');
    expect(merge(base, ours, theirs, 'ours')).toBe('A\nb\nours\nd\nE\n');
    expect(merge(base, 'a\0\n', theirs, 'theirs')).toBeUndefined();
  });

  test('a NUL is no text', () => {
    expect(merge('a\nb\nc\n', 'a\0\nb\nc\n', 'a\nb\nC\n')).toBeUndefined();
  });

  test('names of members of objects are lines like others', () => {
    const base = '__proto__\nconstructor\nx\n';
    expect(merge(base, `y\n${base}`, `${base}toString\n`)).toBe(`y\n${base}toString\n`);
  });

  test('a hundred thousand equal lines are refused or merged at once', () => {
    const base = 'x\n'.repeat(49_000);
    const start = performance.now();
    merge(base, `y\n${base}`, `${base.slice(2)}z\n`);
    const numbered = Array.from({ length: 40_000 }, (_, at) => `line ${at}\n`);
    const ours = ['first\n', ...numbered].join('');
    const theirs = [...numbered, 'last\n'].join('');
    expect(merge(numbered.join(''), ours, theirs)).toBe(['first\n', ...numbered, 'last\n'].join(''));
    expect(performance.now() - start).toBeLessThan(4_000);
  });

  test('edits of separate lines always merge, to the same whoever does it', () => {
    const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n'), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, text, (base, ours, theirs) => {
        const [b, o, t] = [base.join(''), ours.join(''), theirs.join('')];
        expect(merge(b, o, t)).toBe(merge(b, t, o));
        expect(merge(b, o, b)).toBe(o);
        expect(merge(b, o, o)).toBe(o);
      }),
    );
  });
});
