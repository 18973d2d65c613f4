import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SandboxError } from '../../errors.ts';
import { encodeBye, encodeGreeting, readBye, readHello, readWelcome } from '../handshake.ts';
import { encodeFrame, type Frame, frameHeaderBytes, parseFrame, sizeOf } from './frame.ts';
import { FrameJoiner } from './frame-joiner.ts';
import { cutFrames, decodeMessage, encodeMessage } from './message.ts';

interface Vector {
  readonly name: string;
  readonly type: number;
  readonly id: number;
  readonly number: number;
  readonly more: boolean;
  /** The JSON of the body; absent where the body is bytes alone. */
  readonly json?: unknown;
  readonly hasJson: boolean;
  readonly bytes: string;
  readonly hex: string;
}

const path = new URL('../../../test/fixtures/wire-frames.json', import.meta.url);
const vectors: readonly Vector[] = JSON.parse(readFileSync(path, 'utf8'));

function partsOf({ json, hasJson, bytes }: Vector): readonly Uint8Array[] {
  const raw = Uint8Array.from(Buffer.from(bytes, 'hex'));
  return hasJson ? encodeMessage({ json, bytes: raw }) : [raw];
}

describe('golden vectors', () => {
  test.each(vectors.map((vector) => [vector.name, vector] as const))('WP-2 WP-8 %s', (_, vector) => {
    const { type, id, number, more, hex } = vector;
    const message = encodeFrame({ type, id, more, parts: partsOf(vector) }, number);
    expect(Buffer.from(message).toString('hex')).toBe(hex);
    const frame = parseFrame(Uint8Array.from(Buffer.from(hex, 'hex')));
    expect(frame).toMatchObject({ type, id, number, more });
    if (!vector.hasJson) return expect(Buffer.from(frame.payload).toString('hex')).toBe(vector.bytes);
    const { json, bytes } = decodeMessage(frame.payload);
    expect([json, Buffer.from(bytes).toString('hex')]).toEqual([vector.json, vector.bytes]);
  });

  test('WP-4 the greetings among them are what is sent and read', () => {
    const named = (name: string): Vector => {
      const vector = vectors.find((each) => each.name === name);
      if (!vector) throw new Error(`There is no vector "${name}"`);
      return vector;
    };
    const parse = ({ hex }: Vector): Frame => parseFrame(Uint8Array.from(Buffer.from(hex, 'hex')));
    const toHex = (message: Uint8Array): string => Buffer.from(message).toString('hex');
    const hello = readHello(parse(named('HELLO that resumes')), ['resume']);
    expect(toHex(encodeGreeting('hello', hello))).toBe(named('HELLO that resumes').hex);
    const welcome = readWelcome(parse(named('WELCOME')));
    expect(toHex(encodeGreeting('welcome', welcome))).toBe(named('WELCOME').hex);
    const error = new SandboxError('protocol-violation', 'no', { details: { at: 1 } });
    expect(toHex(encodeBye(error))).toBe(named('BYE with an error').hex);
    expect(readBye(parse(named('BYE with an error')))?.toData()).toEqual(error.toData());
    expect(readBye(parse(named('BYE')))).toBeUndefined();
  });
});

test('a client loads no zod', () => {
  const loaded = new Set<string>();
  const load = (url: URL): void => {
    if (loaded.has(url.pathname)) return;
    loaded.add(url.pathname);
    const source = readFileSync(url, 'utf8');
    const imports = /^(?:import|export|\}) (?!type ).*?from '([^']+)';$|\bimport\('([^']+)'\)(?!\.)/gm;
    for (const [, first, later] of source.matchAll(imports)) {
      const from = first ?? later ?? '';
      if (from.startsWith('.')) load(new URL(from, url));
      else loaded.add(from);
    }
  };
  load(new URL('../../../sdk/index.ts', import.meta.url));
  expect([...loaded].filter((name) => name.endsWith('/client-session.ts'))).toHaveLength(1);
  expect([...loaded].filter((name) => /zod|server-session|request-schema/.test(name))).toEqual([]);
});

describe('codec', () => {
  const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });
  const types = fc.constantFrom(1, 2, 3, 4, 5, 0x10, 0x11, 0x12, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26);

  test('WP-2 a frame is read as it was written', () => {
    const parts = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 4 });
    fc.assert(
      fc.property(types, uint32, uint32, fc.boolean(), parts, (type, id, number, more, all) => {
        const frame = parseFrame(encodeFrame({ type, id, more, parts: all }, number));
        expect(frame).toEqual({
          type,
          id,
          number,
          more,
          payload: Uint8Array.from(all.flatMap((each) => [...each])),
        });
      }),
    );
  });

  test('WP-8 a message is read as it was written', () => {
    fc.assert(
      fc.property(fc.option(fc.jsonValue(), { nil: undefined }), fc.uint8Array(), (json, bytes) => {
        const body = Uint8Array.from(encodeMessage({ json, bytes }).flatMap((each) => [...each]));
        const message = decodeMessage(body);
        expect(JSON.stringify(message.json)).toBe(JSON.stringify(json));
        expect(message.bytes).toEqual(bytes);
      }),
    );
  });

  test('WP-3 bodies that are cut and mixed come together again', () => {
    const bodies = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        bodies,
        fc.integer({ min: 1, max: 40 }),
        fc.infiniteStream(fc.nat()),
        (all, size, choices) => {
          const joiner = new FrameJoiner(1_000_000);
          const queues = all.map((body, id) => [
            ...cutFrames(
              { type: 0x10, id, parts: [body.subarray(0, 3), body.subarray(3)] },
              size + frameHeaderBytes,
            ),
          ]);
          const joined = new Map<number, Uint8Array>();
          while (queues.some((queue) => queue.length > 0)) {
            const left = queues.filter((queue) => queue.length > 0);
            const draft = left[(choices.next().value ?? 0) % left.length]?.shift();
            if (!draft) continue;
            const message = encodeFrame(draft, 0);
            expect(message.length).toBeLessThanOrEqual(size + frameHeaderBytes);
            const body = joiner.push(parseFrame(message));
            if (body) joined.set(draft.id ?? -1, body);
          }
          expect([...joined].sort(([a], [b]) => a - b)).toEqual(all.map((body, id) => [id, body]));
        },
      ),
    );
  });

  test('WP-2 any bytes are a frame or a protocol-violation', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          const { payload } = parseFrame(bytes);
          expect(payload.length).toBe(bytes.length - frameHeaderBytes);
          decodeMessage(payload);
        } catch (error) {
          expect(error).toMatchObject({ name: 'SandboxError', code: 'protocol-violation' });
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('WP-3 unfinished bodies are bounded, tiny parts included', () => {
    const joiner = new FrameJoiner(10_000);
    const part: Frame = { type: 0x10, id: 1, number: 0, more: true, payload: Uint8Array.of(1) };
    let pushed = 0;
    const flood = (): void => {
      for (; pushed < 1_000; pushed++) joiner.push(part);
    };
    expect(flood).toThrow(expect.objectContaining({ code: 'protocol-violation' }));
    expect(pushed).toBeLessThan(20);
    expect(sizeOf([part.payload])).toBe(1);
  });
});
