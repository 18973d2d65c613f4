import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestBridge } from '../../test/http/test-bridge.ts';
import { readiness } from './readiness.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-'));
  await writeFile(join(folder, 'coppice.sqlite'), '');
});
afterEach(() => rm(folder, { recursive: true }));

test('C-3 a bridge is ready once its images are there, and no more without its stores or its token file', async () => {
  const tokenFile = join(folder, 'token');
  const ready = readiness({ folder, tokenFile });
  await using there = await openTestBridge({ ready: ready.look });
  const ask = async () => {
    const answer = await there.request('/ready', { token: null });
    const { status, items } = await answer.json();
    const lacks = items.filter(({ isReady }: { isReady: boolean }) => !isReady);
    return [answer.status, status, lacks.map(({ name }: { name: string }) => name)];
  };
  expect(await ask()).toEqual([503, 'not-ready', ['images', 'token-file']]);
  await writeFile(tokenFile, 'token');
  ready.noteStarted();
  expect(await ask()).toEqual([200, 'ready', []]);
  await rm(join(folder, 'coppice.sqlite'));
  expect(await ask()).toEqual([503, 'not-ready', ['registry']]);
});

test('C-3 what a bridge cannot do is no error in its log, which tells of its end', async () => {
  const there = await openTestBridge();
  const merge = await there.request('/v1/sandboxes/box-1/merge', {
    method: 'POST',
    json: { sandbox: 'box-2' },
  });
  expect(merge.status).toBe(501);
  await there[Symbol.asyncDispose]();
  const levelOf = (message: string) => there.log.find(({ msg }) => msg === message)?.level;
  expect(levelOf('request not supported')).toBe(30);
  expect(there.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  expect([levelOf('stopping'), levelOf('stopped')]).toEqual([30, 30]);
});
