import { expect, test } from 'vitest';
import { bridgeUrl } from './bridge-url.ts';

test('a folder that is named counts more than COPPICE_BRIDGE, and cannot be named together with a bridge', () => {
  const context = { environment: { COPPICE_BRIDGE: 'https://other' } };
  expect(bridgeUrl({}, context)).toBe('https://other');
  expect(bridgeUrl({ bridge: 'https://this' }, context)).toBe('https://this');
  expect(bridgeUrl({ root: '/srv' }, context)).toBe(undefined);
  expect(bridgeUrl({ inPlace: '.' }, context)).toBe(undefined);
  expect(() => bridgeUrl({ root: '/srv', bridge: 'https://this' }, context)).toThrow('or --root');
  expect(() => bridgeUrl({ inPlace: '.', bridge: 'https://this' }, context)).toThrow('or --in-place');
  expect(bridgeUrl({}, { environment: { COPPICE_BRIDGE: '' } })).toBe(undefined);
});
