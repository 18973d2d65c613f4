import { describe, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { TarReader } from './tar-reader.ts';

const { archivePieceBytes, archivePieceMissing } = limits;

describe('an archive that is read', () => {
  test('comes in pieces of bounded size, and no part is made before it is asked for', async () => {
    let made = 0;
    const parts = function* () {
      for (const size of [1, archivePieceBytes, archivePieceBytes, 3]) {
        made++;
        yield new Uint8Array(size).fill(made);
      }
    };
    const reader = new TarReader(parts());
    expect(made).toBe(0);
    const first = await reader.read();
    expect([first?.bytes.length, made]).toEqual([archivePieceBytes, 2]);
    expect([first?.bytes[0], first?.bytes[1]]).toEqual([1, 2]);
    const second = await reader.read();
    expect([second?.bytes.length, second?.bytes[0], second?.bytes[1], made]).toEqual([
      archivePieceBytes,
      2,
      3,
      3,
    ]);
    expect(await reader.read()).toEqual({ bytes: Uint8Array.from([3, 4, 4, 4]), missing: [] });
    expect(await reader.read()).toBeUndefined();
  });

  test('is told what to have ready before each piece, and after much was read for none', async () => {
    const said: string[] = [];
    const part = (name: string, sizeBytes: number) => {
      said.push(name);
      return new Uint8Array(sizeBytes);
    };
    function* parts() {
      yield part('looked at', 0);
      yield part('a', 10);
    }
    const reader = new TarReader(parts(), { readAhead: async () => void said.push('ahead') });
    expect((await reader.read())?.bytes.length).toBe(10);
    expect(said).toEqual(['ahead', 'looked at', 'ahead', 'a']);
    await reader.close();
  });

  test('that is closed amid a piece ends there', async () => {
    const meanwhile = Promise.withResolvers<void>();
    function* parts() {
      yield new Uint8Array(0);
      yield new Uint8Array(10);
    }
    const reader = new TarReader(parts(), { readAhead: () => meanwhile.promise });
    const reading = reader.read();
    await reader.close();
    meanwhile.resolve();
    await expect(reading).rejects.toMatchObject({ code: 'connection-lost' });
  });

  test('names what is missing as it goes, so many in a piece', async () => {
    const missing: string[] = [];
    const parts = function* () {
      for (let index = 0; index <= archivePieceMissing; index++) {
        missing.push(`/${index}`);
        yield new Uint8Array(0);
      }
      yield new Uint8Array(1);
    };
    const reader = new TarReader(parts(), { missing });
    expect((await reader.read())?.missing).toHaveLength(archivePieceMissing);
    expect(await reader.read()).toEqual({
      bytes: new Uint8Array(1),
      missing: [`/${archivePieceMissing}`],
    });
    expect(await reader.read()).toBeUndefined();
  });

  test('what cannot be read fails with a code; closing lets go once and ends it', async () => {
    let closed = 0;
    const parts = function* () {
      yield new Uint8Array(archivePieceBytes);
      throw new RangeError('"a" cannot be read');
    };
    const reader = new TarReader(parts(), { close: async () => void closed++ });
    await reader.read();
    await expect(reader.read()).rejects.toMatchObject({
      code: 'missing-object',
      message: '"a" cannot be read',
    });
    await reader.close();
    await reader.close();
    expect(closed).toBe(1);
    await expect(reader.read()).rejects.toMatchObject({ code: 'connection-lost' });
  });
});
