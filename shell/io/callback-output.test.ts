import { expect, it } from 'vitest';
import { CallbackOutput } from './callback-output.ts';
import { CaptureOutput } from './capture-output.ts';
import { QueueInput } from './queue-input.ts';

it('makes the writer wait for the client', async () => {
  const got: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  let isClosed = false;
  const output = new CallbackOutput({
    onBytes: async (bytes) => {
      await promise;
      got.push(...bytes);
    },
    onClose: () => {
      isClosed = true;
    },
  });
  const written = output.write(Uint8Array.of(1, 2));
  expect(await Promise.race([written.then(() => 'written'), Promise.resolve('waiting')])).toBe('waiting');
  resolve();
  await written;
  expect(got).toEqual([1, 2]);
  output.release();
  expect(isClosed).toBe(true);
});

it('feeds a process as the client sends, and tells when there is room', async () => {
  const input = new QueueInput();
  const read = input.read(10);
  input.feed(Uint8Array.of(1, 2, 3));
  expect([...(await read)]).toEqual([1, 2, 3]);
  input.feed(Uint8Array.of(4));
  const drained = input.drained(0);
  expect([...(await input.read(10))]).toEqual([4]);
  await drained;
  input.end();
  input.feed(Uint8Array.of(5));
  expect(await input.read(10)).toHaveLength(0);
});

it('keeps output up to its limit', async () => {
  const output = new CaptureOutput(4);
  await output.write(Uint8Array.of(1, 2, 3));
  await expect(output.write(Uint8Array.of(4, 5))).rejects.toMatchObject({ limit: 'captureBytes' });
  expect([...output.take()]).toEqual([1, 2, 3]);
});

it('gives up a client that never answers when the writer is ended', async () => {
  const output = new CallbackOutput({ onBytes: () => new Promise<void>(() => {}) });
  const ending = new AbortController();
  const written = output.write(Uint8Array.of(1), ending.signal);
  ending.abort('SIGKILL');
  await expect(written).rejects.toBe('SIGKILL');
});

it('takes nothing once nobody holds it', async () => {
  let got = 0;
  const output = new CallbackOutput({
    onBytes: (bytes) => {
      got += bytes.length;
    },
  });
  output.release();
  await expect(output.write(Uint8Array.of(1))).rejects.toMatchObject({ code: 'EBADF' });
  expect(got).toBe(0);
});
