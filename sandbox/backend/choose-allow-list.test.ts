import { expect, test } from 'vitest';
import { chooseAllowList } from './choose-allow-list.ts';

const full = { network: 'full' } as const;
const inherited = ['pypi.org'];

test('S-8 a fork has the list of its parent, or another one, but never none with the network', () => {
  expect(chooseAllowList({}, full)).toEqual({});
  expect(chooseAllowList({ allow: ['a.test'] }, full)).toEqual({ allow: ['a.test'] });
  expect(chooseAllowList({}, { ...full, inherited })).toEqual({ allow: inherited });
  expect(chooseAllowList({ allow: ['a.test'] }, { ...full, inherited })).toEqual({ allow: ['a.test'] });
  expect(chooseAllowList({}, { network: 'isolated', inherited })).toEqual({});
});

test.each([
  [['a.test'], 'isolated', /with `network: "full"` only/],
  [[], 'full', /is empty/],
  [Array<string>(65).fill('a.test'), 'full', /has 65 entries, 64 are the most/],
  [['a.test', 'https://b.test'], 'full', /Cannot allow a sandbox to reach "https:\/\/b\.test"/],
] as const)('S-8 %j with the network %s is refused', (allow, network, message) => {
  expect(() => chooseAllowList({ allow }, { network })).toThrow(
    expect.objectContaining({ code: 'invalid-argument', message: expect.stringMatching(message) }),
  );
});
