import { expect, test } from 'vitest';
import { BashOptions } from './options.ts';

test('Letters are in the order that bash shows', () => {
  const options = new BashOptions({ invocation: 'c' });
  expect(options.letters()).toBe('hBc');
  for (const option of ['errexit', 'xtrace', 'noclobber', 'allexport', 'functrace'] as const)
    options.set(option, true);
  expect(options.letters()).toBe('aehxBCTc');
  expect(new BashOptions({ invocation: 'is' }).letters()).toBe('hiBs');
});

test('Options of shopt are those of bash 5.2', () => {
  const options = new BashOptions();
  expect([options.hasShopt('patsub_replacement'), options.hasShopt('extglob')]).toEqual([true, false]);
  expect([options.setShopt('extglob', true), options.setShopt('bogus', true)]).toEqual([true, false]);
  expect(options.clone().hasShopt('extglob')).toBe(true);
});
