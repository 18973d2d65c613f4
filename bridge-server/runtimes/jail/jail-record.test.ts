import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { LayerCache } from '../../roots/overlay/layer-cache.ts';
import { type JailRecord, readJailRecord, writeJailRecord } from './jail-record.ts';

test('O-1 the next bridge reads the record of a jail, whatever layers its root has', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-record-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const tree = 'a'.repeat(64) as ObjectId;
  const layers: string[] = [];
  for (const bootId of [undefined, randomUUID()])
    for (const isDurable of [true, false])
      for (const name of [tree, `${tree}-${tree}`]) {
        const cache = await LayerCache.open(join(folder, randomUUID()), { bootId });
        const options = {
          isDurable,
          make: (path: string) => mkdir(path),
          signal: undefined,
        };
        const layer = await cache.take(name, options);
        layers.push(basename(layer.path));
        layer.release();
        await cache.close();
      }
  const record: JailRecord = {
    ...{ sandbox: randomUUID(), cgroup: 'group', hasGroups: true, trees: [tree], network: undefined },
    root: { kind: 'overlay', folder: randomUUID(), layers, madeAtMs: 1 },
    ...{ ids: { type: 'one' }, landlockAbi: 7 },
  };
  writeJailRecord(folder, record);
  expect(readJailRecord(folder)).toEqual(record);
});
