import { describe, expect, test } from 'vitest';
import { parseJudge } from './judge.ts';

const score = (judge: string, output: string) => parseJudge(judge).score?.(output);

describe('R-9 a judge', () => {
  test('reads the last number that its pattern finds, in its group or in all of it', () => {
    expect(score('best:passed: (\\d+)', 'passed: 3\npassed: 12 of 20\nbye 99')).toBe(12);
    expect(score('best:\\d+ ms', 'took 250 ms')).toBe(250);
    expect(score('lowest:loss=(\\S+)', 'loss=-1.5e-3\n')).toBe(-0.0015);
    expect(score('best:total (?<n>\\d+(?:\\.\\d+)?)', 'total 7.25')).toBe(7.25);
    expect(score('best:passed', 'passed')).toBeUndefined();
  });

  test('reads a field of the JSON that is printed, or of its last line', () => {
    expect(score('best:json.total.score', '{"total": {"score": 0.5}}')).toBe(0.5);
    expect(score('best:json.cases.1', 'starting\n{"cases": [1, 2]}\n')).toBe(2);
    for (const text of [
      '',
      'no json',
      '{"score": "5"}',
      '{"score": null}',
      '[]',
      '{"__proto__": {"score": 1}}',
    ])
      expect(score('best:json.score', text)).toBeUndefined();
    expect(score('best:json.constructor.length', '{}')).toBeUndefined();
  });

  test('prefers the largest number, or the smallest', () => {
    expect(parseJudge('best:\\d+').isBetter(2, 1)).toBe(true);
    expect(parseJudge('lowest:\\d+').isBetter(2, 1)).toBe(false);
    expect(parseJudge('lowest:\\d+').isBetter(1, 2)).toBe(true);
  });

  test.each([
    'best',
    'best:',
    'worst:x',
    'best:(',
    'best:(a+)+$',
    'best:(?:a|a)*b',
    'best:((a*)b){2,}',
    'best:(a)\\1',
    'best:(?=a)b',
    'best:(?<!a)b',
    'best:a*b*c*d*',
    `best:${'a'.repeat(2_000)}`,
  ])('refuses %s, with what is allowed', (text) => {
    expect(() => parseJudge(text)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });

  test('ends in time on lines that are made to keep a pattern busy', () => {
    const hostile = `${'a'.repeat(1_000)}\n`.repeat(1_000);
    expect(() => score('best:a*a*a*b(\\d)', hostile)).toThrow('took longer than 2 s to judge');
  });
});
