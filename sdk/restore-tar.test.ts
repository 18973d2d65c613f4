import { expect, test } from 'vitest';
import { shellBackend } from '../runtimes/shell/shell-backend.ts';
import { tarOf } from '../test/fixtures/hostile-tars.ts';
import { Sandbox } from './sandbox.ts';

test('S-4 garbage that is collected while a large archive comes in takes nothing of it', async () => {
  await using sandbox = await Sandbox.create({ backend: shellBackend() });
  const numbers = Uint32Array.from({ length: 10 * 2 ** 20 }, (_, index) => index); // No two pieces are alike.
  const content = new Uint8Array(numbers.buffer);
  const archive = tarOf({ path: 'large', content }, { path: 'small', content: 'x' });
  async function* pieces(): AsyncGenerator<Uint8Array, void> {
    for (let at = 0; at < archive.length; at += 2 ** 20) {
      yield archive.slice(at, at + 2 ** 20);
      await sandbox.connection.history.collectGarbage();
    }
  }
  await sandbox.restoreTar(pieces());
  const restored = await sandbox.files.read('/large', { format: 'bytes' });
  expect(Buffer.compare(restored, content)).toBe(0);
});
