import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { AddressPolicy } from './address-policy.ts';

const own = Object.values(networkInterfaces())
  .flatMap((each = []) => each)
  .filter(({ family }) => family === 'IPv4')
  .map(({ address }) => address);

test('S-8 sandboxes reach public addresses of IPv4, and no others', () => {
  const policy = new AddressPolicy();
  expect(policy.whyNot('140.82.121.4')).toBeUndefined();
  for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '224.0.0.1', '0.0.0.0', ...own]) {
    expect(policy.whyNot(address)).toMatch(/^it is (no public address|an address of this host)$/);
  }
  for (const address of ['2606::1', '::ffff:140.82.121.4', 'localhost', '']) {
    expect(policy.whyNot(address)).toBe('only addresses of IPv4 can be reached');
  }
});

test('S-8 and what the operator opens, to its last address', () => {
  const policy = new AddressPolicy(['10.1.2.0/24', '127.0.0.1', '169.254.169.254/32']);
  for (const address of ['10.1.2.0', '10.1.2.255', '127.0.0.1', '169.254.169.254']) {
    expect(policy.whyNot(address)).toBeUndefined();
  }
  for (const address of ['10.1.1.255', '10.1.3.0', '127.0.0.2', '169.254.169.253']) {
    expect(policy.whyNot(address)).toBe('it is no public address');
  }
  expect(new AddressPolicy(['0.0.0.0/0']).whyNot('10.0.0.1')).toBeUndefined();
});

test.each(['10.0.0.0/33', '10.0.0', '10.0.0.0/', '::1', '', '10.0.0.0/8 ', '010.0.0.1', 'example.org'])(
  'S-8 %j is no range',
  (range) => {
    expect(() => new AddressPolicy([range])).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('no range') }),
    );
  },
);

test('S-8 more ranges than there is room for are refused', () => {
  expect(() => new AddressPolicy(Array<string>(257).fill('10.0.0.1'))).toThrow('More than 256 ranges');
});
