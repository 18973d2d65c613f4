import { expect, test } from 'vitest';
import { shellBackend } from '../../../runtimes/shell/shell-backend.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import { embedLimits } from '../limits.ts';
import { EmbedBackend } from './embed-backend.ts';

const openEmbed = (): EmbedBackend => new EmbedBackend({ shell: shellBackend, v86: shellBackend }, () => {});

test('P-6 a sandbox of an embed lives until it is deleted, whoever lets go of it, and terminals of a page end with its use', async () => {
  const backend = openEmbed();
  const made = await Sandbox.create({ backend });
  await made.run('echo kept > note');
  const ended = Promise.withResolvers<void>();
  await made.pty.create({ columns: 80, rows: 24, onData: () => {}, onExit: () => ended.resolve() });
  await made.close();
  await ended.promise;
  await expect(made.run('true')).rejects.toMatchObject({ code: 'connection-lost' });
  const again = await Sandbox.connect(made.id, { backend });
  expect((await again.run('cat note')).stdout).toBe('kept\n');
  await backend.delete({ id: made.id });
  await expect(again.run('true')).rejects.toMatchObject({ code: 'connection-lost' });
  expect(await backend.list()).toEqual([]);
});

test('P-6 an embed has so many sandboxes, also where they are asked for at once, and no runtime of a host', async () => {
  const backend = openEmbed();
  const asked = Array.from({ length: embedLimits.sandboxes + 4 }, () => Sandbox.create({ backend }));
  const failed = (await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected');
  expect(failed).toHaveLength(4);
  expect(failed[0]).toMatchObject({ reason: { code: 'limit-exceeded' } });
  const [first] = await backend.list();
  const sandbox = await Sandbox.connect(first?.id ?? '', { backend });
  const [fork] = await sandbox.fork();
  expect(fork).toMatchObject({ code: 'limit-exceeded' });
  await expect(Sandbox.create({ backend, runtime: 'jail' })).rejects.toMatchObject({ code: 'unsupported' });
});
