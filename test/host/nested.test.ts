import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHost } from '../../bridge-server/main/open-host.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { makeTestFolder, type TestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();
let files: TestFolder;

describe.skipIf(lack)(`a sandbox for others inside${lack ? ` (not here: ${lack})` : ''}`, () => {
  beforeAll(async () => {
    files = await makeTestFolder();
  });
  afterAll(() => files?.[Symbol.asyncDispose]());

  test('O-1: is there where the host allows it, also as a fork, and is refused where it does not', async () => {
    let id: string;
    {
      await using host = await openHost({ ...files.options, allowNested: true });
      const { backend } = host;
      await using sandbox = await Sandbox.create({ backend, nested: true });
      id = sandbox.id;
      expect((await sandbox.run('unshare -r id -u')).stdout).toBe('0\n');
      const [fork] = await sandbox.fork();
      if (!(fork instanceof Sandbox)) throw fork ?? new Error('Nothing was forked');
      expect(fork.info.nested).toBe(true);
      expect((await fork.run('unshare -r id -u')).stdout).toBe('0\n');
      await fork.close();
      await using usual = await Sandbox.create({ backend });
      expect(usual.info.nested).toBeUndefined();
      expect((await usual.run('unshare -r id -u')).stderr).toContain('Operation not permitted');
    }
    await using host = await openHost(files.options);
    const { backend } = host;
    const before = await backend.list();
    expect(before.find((info) => info.id === id)?.nested).toBe(true);
    const refusal = { code: 'forbidden', details: { option: 'nested' } };
    await expect(Sandbox.open(id, { backend })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(Sandbox.create({ backend, nested: true })).rejects.toMatchObject(refusal);
    expect(await backend.list()).toEqual(before);
  });
});
