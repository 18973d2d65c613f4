import { expect, test } from 'vitest';
import { mountedBelow } from './mounted-below.ts';

test('R-1 mounts below a folder are found by the kernel’s list, with names as they are, once each', async () => {
  const list = [
    '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
    '30 22 254:0 /data /srv/a\\040b\\134c rw - ext4 /dev/vda rw',
    '31 22 0:5 / /srv/proc rw - proc proc rw',
    '32 31 0:5 / /srv/proc rw - proc proc rw',
    '33 22 0:5 / /srvice rw - tmpfs none rw',
    '',
  ].join('\n');
  expect(await mountedBelow('/srv', list)).toEqual(['/a b\\c', '/proc']);
  expect(await mountedBelow('/', list)).toEqual(['/srv/a b\\c', '/srv/proc', '/srvice']);
  expect(await mountedBelow('/srv/proc', list)).toEqual([]);
});
