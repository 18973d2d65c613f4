import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { doctor } from '../../bridge-server/main/doctor.ts';
import { ownPrivileges } from '../../bridge-server/privileges.ts';
import { launcher } from './jail/test-jail.ts';
import { watcher } from './roots/watcher.ts';

const privileges = {
  root: /^root: jails have ids of their own$/,
  'id-range': /^a range of ids \(newuidmap\)/,
  'one-id': /^one id for every user in a jail, .*: no range of ids, ./,
};

test('R-11 O-1: a host says of each thing that it may lack whether it works, or why not', async () => {
  const chosen = { isolation: 'landlock', why: 'it was asked for' } as const;
  const rows = await doctor({ launcher: await launcher, watcher: await watcher, folder: tmpdir(), chosen });
  expect(rows.map(({ name }) => name)).toEqual([
    'privileges',
    'control groups',
    'cpus',
    'ioMiBps',
    'diskMiB',
    'jails',
    'isolation',
    'jails without namespaces',
    'second wall (Landlock)',
    'cores',
    'network',
    'btrfs roots',
    'overlay roots',
    'watches',
    'programs for i386',
    'programs for amd64',
    'shells',
    'traces',
  ]);
  expect(rows[0]).toMatchObject({ state: 'ok', why: expect.stringMatching(privileges[ownPrivileges()]) });
  expect(rows[6]?.why).toMatch(/^landlock: it was asked for. Sandboxes lack: no network, .*no \/proc/);
  for (const { why } of rows) expect(why).toMatch(/\w/);
  const overlays = rows.find(({ name }) => name === 'overlay roots');
  expect(overlays?.state === 'ok' ? overlays.why : 'EXDEV').toContain('EXDEV');
});
