import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { uncaughtErrors } from '../../test/uncaught-errors.ts';
import { plainTar } from './plain-tar.ts';

const zeros = gzipSync(new Uint8Array(32 * 2 ** 20));

async function* pieces(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('the bytes of an archive', () => {
  test('H-8 of a gzip can be given up at any of them, and nothing fails where nobody catches it', async () => {
    for (let last = 1; last < 12; last++) {
      const uncaught = await uncaughtErrors(async () => {
        let count = 0;
        for await (const _piece of plainTar(pieces(zeros))) {
          if (++count === last) break;
          // Time for Node's zlib to fill its buffers: it then waits for its reader, and not its reader for it.
          await sleep(1);
        }
      });
      expect(uncaught).toEqual([]);
    }
  });

  test('H-8 of a gzip can be given up while its sender says nothing', async () => {
    const silent = async function* () {
      yield zeros.subarray(0, 2_000);
      await new Promise(() => {});
    };
    const uncaught = await uncaughtErrors(async () => {
      for await (const _piece of plainTar(silent())) break;
    });
    expect(uncaught).toEqual([]);
  });
});
