import { describe, expect, test } from 'vitest';
import { isPublicAddress } from './public-address.ts';

const notPublic = [
  ['this host', ['0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.255.254', '::1', '::', '0:0:0:0:0:0:0:1']],
  ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1']],
  ['link-local and metadata', ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1']],
  ['a carrier’s', ['100.64.0.1', '100.127.255.255']],
  ['multicast, broadcast, reserved', ['224.0.0.1', '239.1.1.1', '255.255.255.255', '240.0.0.1', 'ff02::1']],
  ['for tests and documents', ['192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '2001:db8::1']],
  ['for documents, the new range', ['3fff::1']],
  ['mapped', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:10.0.0.1', '0:0:0:0:0:ffff:a9fe:a9fe']],
  ['mapped, though of a public one', ['::ffff:8.8.8.8', '::8.8.8.8']],
  ['translated', ['64:ff9b::7f00:1', '64:ff9b:1::10.0.0.1', '::ffff:0:127.0.0.1']],
  ['6to4 and Teredo', ['2002:7f00:1::', '2002:a9fe:a9fe::1', '2001::1', '2001:0:53aa:64c::1']],
  ['discarded and unassigned', ['100::1', '4000::1', '5f00::1', 'a000::1']],
  [
    'no address',
    ['', 'localhost', '127.1', '0x7f.1', '0177.0.0.1', '2130706433', '1.2.3', '1.2.3.4.5', '[::1]'],
  ],
  [
    'no address, with a tail',
    ['8.8.8.8 ', ' 8.8.8.8', '8.8.8.8\0', '8.8.8.8:443', '2606:4700::1%1', '8.8.8.08'],
  ],
] as const;

describe('B2-30 S-6 no address is public that is', () => {
  test.each(notPublic)('%s', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

test('public addresses are public, at the edges of what is not too', () => {
  const open = [
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '140.82.121.4',
    '2606:50c0:8000::153',
    '2a04:4e42::81',
    '2400:cb00::1',
  ];
  expect(open.filter((address) => !isPublicAddress(address))).toEqual([]);
});
