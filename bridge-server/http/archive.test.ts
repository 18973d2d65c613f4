import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import type { ArchiveReader } from '../../protocol/sandbox/transfer.ts';
import { mostHeldBytes } from '../../test/held-bytes.ts';
import { openTestBridge, type TestBridge } from '../../test/http/test-bridge.ts';

let there: TestBridge;
beforeEach(async () => {
  there = await openTestBridge();
});
afterEach(() => there[Symbol.asyncDispose]());

describe('a large archive', () => {
  /** An endless one, that counts what was read of it. */
  function endless(): ArchiveReader & { pieces: number; closed: Promise<void> } {
    const closed = Promise.withResolvers<void>();
    const bytes = randomBytes(limits.archivePieceBytes);
    const reader = {
      pieces: 0,
      closed: closed.promise,
      read: async () => {
        reader.pieces++;
        return { bytes, missing: [] };
      },
      close: async () => closed.resolve(),
    };
    return reader;
  }

  test('is made as fast as it is read, and let go of when the client goes', async () => {
    const reader = endless();
    there.backend.makeArchive = () => reader;
    const answer = await there.request('/v1/sandboxes/box-1/archive');
    expect(answer.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''box-1.tar");
    let last = -1;
    for (let same = 0; same < 10; last = reader.pieces) {
      await there.request('/health');
      same = reader.pieces === last ? same + 1 : 0;
    }
    // What the kernel's buffers, both clients' and one piece on its way take.
    expect(reader.pieces).toBeLessThan(24);
    await answer.body?.cancel();
    await reader.closed;
  });

  test('of 512 MiB passes through without being held', async () => {
    const reader = endless();
    const endlessRead = reader.read;
    reader.read = async () => (reader.pieces < 512 ? endlessRead() : (undefined as never));
    there.backend.makeArchive = () => reader;
    const answer = await there.request('/v1/sandboxes/box-1/archive');
    let length = 0;
    const heldBytes = await mostHeldBytes(async () => {
      for await (const piece of answer.body ?? []) length += piece.length;
    });
    expect(length).toBe(512 * limits.archivePieceBytes);
    expect(heldBytes / 2 ** 20).toBeLessThan(32);
  });

  test('that fails in the middle breaks off, and does not look whole', async () => {
    const reader = endless();
    const endlessRead = reader.read;
    reader.read = async () => {
      if (reader.pieces === 4) throw new TypeError('chunk 12 is missing');
      return endlessRead();
    };
    there.backend.makeArchive = () => reader;
    const answer = await there.request('/v1/sandboxes/box-1/archive');
    await expect(answer.arrayBuffer()).rejects.toThrow();
    await reader.closed;
    expect(there.log.some(({ msg }) => msg === 'archive broke off')).toBe(true);
  });

  test('of which only the headers are asked for is let go of', async () => {
    const reader = endless();
    there.backend.makeArchive = () => reader;
    const answer = await there.request('/v1/sandboxes/box-1/archive', { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-tar']);
    await reader.closed;
  });

  test('that misses files from the start has a status of its own', async () => {
    const close = Promise.withResolvers<void>();
    there.backend.makeArchive = () => ({
      read: async () => ({ bytes: new Uint8Array(512), missing: ['/etc/passwd'] }),
      close: async () => close.resolve(),
    });
    const answer = await there.request('/v1/sandboxes/box-1/archive');
    expect([answer.status, (await answer.json()).error.code]).toEqual([500, 'missing-object']);
    await close.promise;
  });
});
