import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import golden from '../../test/fixtures/init-frames.json' with { type: 'json' };
import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import { headerBytes, indexOfBytes, initFrameTypes, resyncMarker, writeHeader } from './frame-header.ts';
import { FrameParser, helloBeacon } from './frame-parser.ts';
import { encodeHostFrame, type HostFrame } from './host-frames.ts';
import { decodeInitFrame, type InitFrame, type RawFrame } from './init-frames.ts';

const nonce = bytes('000102030405060708090a0b0c0d0e0f');
const resync = bytes(golden.init.find(({ name }) => name === 'resync')?.hex ?? '');

describe('golden frames', () => {
  test.each(golden.host)('of the host: $name', ({ hex, frame }) => {
    expect(text(encodeHostFrame(revive(frame)))).toBe(hex);
  });

  test.each(golden.init)('of init: $name', ({ hex, frames }) => {
    const seen: InitFrame[] = [];
    const parser = new FrameParser((frame) => seen.push(decodeInitFrame(frame)));
    parser.push(bytes(hex));
    expect(seen.map(plain)).toEqual(frames);
  });

  test('of init arrive whole however the stream is cut', () => {
    const stream = bytes(golden.init.map(({ hex }) => hex).join(''));
    const expected = golden.init.flatMap(({ frames }): unknown[] => frames);
    for (let step = 1; step < 80; step++) {
      const seen: InitFrame[] = [];
      const parser = new FrameParser((frame) => seen.push(decodeInitFrame(frame)));
      parser.seek(helloBeacon(nonce));
      for (let at = 0; at < stream.length; at += step) parser.push(stream.slice(at, at + step));
      expect(seen.map(plain)).toEqual(expected);
    }
  });
});

describe('the resync marker (IP-4)', () => {
  test('has no byte that a header begins or ends with, and its first byte once', () => {
    expect([...resyncMarker].every((byte) => byte >= 0x80)).toBe(true);
    expect(resyncMarker.lastIndexOf(resyncMarker[0] ?? 0)).toBe(0);
  });

  test('never appears in what the host sends but before HELLO', () => {
    const piece = fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.constant(resyncMarker));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const payload = Uint8Array.from(pieces.flatMap((each) => [...each]));
        const sent = encodeHostFrame({ type: 'stdin', id: 7, bytes: payload });
        expect(indexOfBytes(sent, resyncMarker)).toBe(-1);
        expect(text(Uint8Array.from(stdinOf(sent)))).toBe(text(payload));
      }),
    );
  });

  test('is refused where it cannot be split', () => {
    const frame: HostFrame = { type: 'addEntropy', id: 1, bytes: resyncMarker };
    expect(() => encodeHostFrame(frame)).toThrow('contains the resync marker');
  });

  test('with another nonce is not believed, whatever surrounds it', () => {
    const forged = resync.slice();
    forged[resyncMarker.length + headerBytes] = 0xee;
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.uint8Array(), fc.constant(forged), fc.constant(resyncMarker))),
        (noise) => {
          const seen: RawFrame[] = [];
          const parser = new FrameParser((frame) => seen.push(frame));
          parser.seek(helloBeacon(nonce));
          for (const piece of noise) parser.push(piece.slice());
          expect({ seen, inStep: parser.inStep }).toEqual({ seen: [], inStep: false });
          parser.push(resync.slice());
          expect(seen.map(({ type }) => type)).toEqual([0x20, 0x21]);
        },
      ),
    );
  });
});

describe('before the answer to HELLO (IP-5)', () => {
  const said = frameOf(initFrameTypes.stdout, 4, 'said');
  const half = frameOf(initFrameTypes.stdout, 4, 'half said').slice(0, -3);

  /** Types and bodies of what a parser makes of a stream that is cut into pieces of `step` bytes. */
  const read = (stream: Uint8Array, step: number) => {
    const seen: string[] = [];
    const parser = new FrameParser(({ type }) => seen.push(`${type}`));
    parser.seek(helloBeacon(nonce), ({ body }) => seen.push(Buffer.from(body).toString()));
    for (let at = 0; at < stream.length; at += step) parser.push(stream.slice(at, at + step));
    return { seen, inStep: parser.inStep };
  };

  test('whole frames count for who asks for them, and one that is cut off by it does not', () => {
    const other = Uint8Array.from([...resyncMarker, ...frameOf(initFrameTypes.ok, 9, '')]);
    const stream = Buffer.concat([said, other, said, half, resync]);
    for (let step = 1; step < 80; step++)
      expect(read(stream, step)).toEqual({ seen: ['said', '', 'said', '32', '33'], inStep: true });
  });

  test('nothing is believed after a header that init does not write, and the answer is found', () => {
    const long = frameOf(initFrameTypes.stdout, 4, 'x'.repeat(limits.initFrameBytes + 1));
    const odd = said.with(12, 1);
    for (const header of [frameOf(0x2d, 4, ''), long.subarray(0, headerBytes), odd]) {
      const stream = Buffer.concat([said, header, said, resync]);
      for (let step = 1; step < 80; step++)
        expect(read(stream, step)).toEqual({ seen: ['said', '32', '33'], inStep: true });
    }
  });
});

describe('hostile frames', () => {
  test('are read or refused with protocol-violation, never anything else', () => {
    const frame = fc.record({
      type: fc.integer({ min: 0x20, max: 0x30 }),
      id: fc.integer({ min: 0, max: 0xffff_ffff }),
      body: fc.uint8Array({ maxLength: 300 }),
    });
    fc.assert(
      fc.property(frame, (raw) => {
        try {
          expect(decodeInitFrame(raw)).toHaveProperty('type');
        } catch (error) {
          expect(error).toBeInstanceOf(SandboxError);
          expect(error).toMatchObject({ code: 'protocol-violation' });
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('cannot announce more than the limit', () => {
    const parser = new FrameParser(() => undefined);
    const header = Uint8Array.of(0x23, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0);
    expect(limits.initFrameBytes).toBe(0x10000);
    expect(() => parser.push(header)).toThrow('a frame header is out of bounds');
  });
});

describe('what the host cannot say', () => {
  test('is refused before it is sent', () => {
    const flags = { pty: false, stdin: false, root: false, status: false };
    const exec = { type: 'exec', id: 1, ...flags, columns: 0, rows: 0 } as const;
    const rest = { windowBytes: 1, cwd: '', env: [] };
    expect(() => encodeHostFrame({ ...exec, ...rest, argv: ['a\0b'] })).toThrow('contains NUL');
    expect(() => encodeHostFrame({ ...exec, ...rest, argv: ['x'.repeat(70_000)] })).toThrow(
      'Cannot send a frame of more than 65536 bytes',
    );
  });
});

function frameOf(type: number, id: number, body: string): Uint8Array {
  const frame = new Uint8Array(headerBytes + body.length);
  writeHeader(frame, { type, id, bodyBytes: body.length });
  frame.set(Buffer.from(body), headerBytes);
  return frame;
}

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

function text(value: Uint8Array): string {
  return Buffer.from(value).toString('hex');
}

/** Payloads of the STDIN frames in `sent`. */
function stdinOf(sent: Uint8Array): number[] {
  const payload: number[] = [];
  const parser = new FrameParser(({ body }) => payload.push(...body));
  parser.push(sent);
  return payload;
}

/** A frame of the fixture with its byte strings and large numbers. */
function revive(frame: object): HostFrame {
  const entries = Object.entries(frame).map(([name, value]: [string, unknown]) => {
    if (typeof value === 'string' && (name === 'nonce' || name === 'bytes')) return [name, bytes(value)];
    return [name, typeof value === 'string' && name === 'epochNs' ? BigInt(value) : value];
  });
  return Object.fromEntries(entries) as HostFrame;
}

/** A frame with its byte strings in hex, as the fixture has them. */
function plain(frame: InitFrame): object {
  const entries = Object.entries(frame).map(([name, value]: [string, unknown]) => [
    name,
    value instanceof Uint8Array ? text(value) : value,
  ]);
  return Object.fromEntries(entries) as object;
}
