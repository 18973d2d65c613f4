import { expect, test } from 'vitest';
import { parsePreferences } from './preferences.ts';

const defaults = {
  theme: 'system',
  screenReader: false,
  singleKeys: true,
  fontSizePx: 13,
  suggestHosts: true,
  shellFirst: true,
};

test('what is stored is taken where it is valid, and the default for the rest', () => {
  const stored = {
    theme: 'dark',
    screenReader: true,
    singleKeys: false,
    suggestHosts: false,
    shellFirst: false,
    fontSizePx: 16,
    more: 1,
  };
  const { more: _ignored, ...valid } = stored;
  expect(parsePreferences(stored)).toEqual(valid);
  expect(parsePreferences({ theme: 'pink', screenReader: 'yes', fontSizePx: 900 })).toEqual(defaults);
  expect([parsePreferences(null), parsePreferences('x'), parsePreferences({})]).toEqual([
    defaults,
    defaults,
    defaults,
  ]);
});
