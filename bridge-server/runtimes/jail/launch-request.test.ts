import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { launchRequest } from './launch-request.ts';

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'coppice-request-')));
  for (const name of ['a', 'b', 'upper', 'work']) await mkdir(join(folder, name));
  await symlink(join(folder, 'a'), join(folder, 'link'));
});
afterEach(() => rm(folder, { recursive: true }));

const spec = { hostname: 'box', limits: { memoryMiB: 64, pids: 10, cpuShares: 1024 }, cgroup: 'g' };
const options = { groups: ['/g/cgroup.procs'], ids: { type: 'host', firstId: 524_288 } as const };

test('a request names layers without links, the uppermost first', async () => {
  const root = {
    type: 'overlay' as const,
    lower: [join(folder, 'link'), join(folder, 'b')],
    upper: join(folder, 'upper'),
    work: join(folder, 'work'),
    userxattr: false,
  };
  const text = new TextDecoder().decode(await launchRequest({ ...spec, root }, options));
  expect(text.split('\0')).toEqual([
    `lower=${folder}/a`,
    `lower=${folder}/b`,
    `upper=${folder}/upper`,
    `work=${folder}/work`,
    'userxattr=0',
    'hostname=box',
    'ids=host',
    'first-id=524288',
    'processes=10',
    'shared-kib=16384',
    'group=/g/cgroup.procs',
    '',
  ]);
});

test('a request for a layer that is not there is refused', async () => {
  const root = { type: 'bind' as const, path: join(folder, 'nothing') };
  await expect(launchRequest({ ...spec, root }, options)).rejects.toMatchObject({ code: 'not-found' });
});

test('text cannot smuggle a second setting in', async () => {
  const root = { type: 'bind' as const, path: folder };
  const request = launchRequest({ ...spec, root, hostname: 'box\0first-id=0' }, options);
  await expect(request).rejects.toMatchObject({ code: 'invalid-argument' });
});
