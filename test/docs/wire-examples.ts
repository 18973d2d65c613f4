import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  clientFrames,
  encodeFrame,
  type Frame,
  frameHeaderBytes,
  linkFrames,
  parseFrame,
  serverFrames,
} from '../../protocol/wire/frames/frame.ts';
import { decodeMessage, encodeMessage } from '../../protocol/wire/frames/message.ts';
import { root } from './documents.ts';

/** One frame of an example in SPEC.md: who sends what, in words, and the bytes below that. */
export interface WireExample {
  /** Such as `client REQUEST id 1 number 0: {"method":"backend.list"}`. */
  readonly words: string;
  readonly hex: string;
}

const bytesInLine = 48;
const types = Object.entries({ ...linkFrames, ...clientFrames, ...serverFrames });
const withoutMessage = new Set(['PING', 'ACK', 'ABORT', 'CREDIT', 'STDOUT', 'STDERR']);
const line = /^(client|server) ([A-Z]+)(?: id (\d+))?(?: number (\d+))?(?:: (.+))?$/;

/** The frames in blocks of code that begin with a client's or a server's. */
export function readWireExamples(markdown: string): WireExample[] {
  const blocks = [...markdown.matchAll(/^```\n((?:client|server) .*?)^```$/gms)].map(
    ([, block = '']) => block,
  );
  return blocks.flatMap((block) =>
    block
      .trimEnd()
      .split(/\n(?! )/)
      .map((frame) => {
        const [words = '', ...hex] = frame.split('\n');
        return { words, hex: hex.join('\n') };
      }),
  );
}

/** The bytes of what an example says, as it shows them: the header's fields, a message's length, the rest. */
export function encodeExample(words: string): string {
  const [, , type = '', id = '0', number = '0', body = ''] = line.exec(words) ?? [];
  const code = types.find(([name]) => name.toUpperCase() === type)?.[1];
  if (code === undefined) throw new Error(`No frame: ${words}`);
  const message = encodeFrame({ type: code, id: Number(id), parts: encodeBody(type, body) }, Number(number));
  return showBytes(message, { hasLength: !withoutMessage.has(type) });
}

/** What the bytes of an example say, in the words of one; `side` is who sends them. */
export function decodeExample(hex: string, side: string): string {
  const frame = parseFrame(Uint8Array.from(Buffer.from(hex.replace(/\s/g, ''), 'hex')));
  const type = types.find(([, code]) => code === frame.type)?.[0].toUpperCase() ?? '';
  const isNumbered = frame.type >= clientFrames.request || frame.type === linkFrames.ack;
  const head = [
    side,
    type,
    ...(frame.id ? [`id ${frame.id}`] : []),
    ...(isNumbered ? [`number ${frame.number}`] : []),
  ];
  const body = decodeBody(type, frame);
  return head.join(' ') + (body === '' ? '' : `: ${body}`);
}

function encodeBody(type: string, words: string): readonly Uint8Array[] {
  if (type === 'CREDIT') return [uint32(words)];
  if (withoutMessage.has(type)) return words === '' ? [] : [toBytes(words)];
  const [, json = '', text] = /^(nothing|\{.*?\}|\[.*?\])(?: and (".*"))?$/.exec(words) ?? [];
  const bytes = text === undefined ? {} : { bytes: toBytes(text) };
  return encodeMessage({ ...(json === 'nothing' ? {} : { json: JSON.parse(json) }), ...bytes });
}

function decodeBody(type: string, { payload }: Frame): string {
  if (type === 'CREDIT') return `${Buffer.from(payload).readUInt32LE()} bytes`;
  if (withoutMessage.has(type)) return payload.length === 0 ? '' : toText(payload);
  const { json, bytes } = decodeMessage(payload);
  return (
    (json === undefined ? 'nothing' : JSON.stringify(json)) +
    (bytes.length > 0 ? ` and ${toText(bytes)}` : '')
  );
}

/** A string of JSON, as its bytes in UTF-8. */
function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(JSON.parse(text));
}

function toText(bytes: Uint8Array): string {
  return JSON.stringify(new TextDecoder().decode(bytes));
}

function uint32(words: string): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(Number.parseInt(words, 10));
  return bytes;
}

function showBytes(message: Uint8Array, { hasLength }: { hasLength: boolean }): string {
  const hex = (from: number, to: number): string => Buffer.from(message.subarray(from, to)).toString('hex');
  const bodyAt = frameHeaderBytes + (hasLength ? 4 : 0);
  const head = [hex(0, 1), hex(1, 2), hex(2, 4), hex(4, 8), hex(8, 12), hex(12, bodyAt)].filter(Boolean);
  const lines = [head.join(' ')];
  for (let at = bodyAt; at < message.length; at += bytesInLine) lines.push(hex(at, at + bytesInLine));
  return lines.map((each) => `  ${each}`).join('\n');
}

// `node test/docs/wire-examples.ts` writes the bytes anew below words that were changed.
if (import.meta.main) {
  const path = join(root, 'protocol/SPEC.md');
  const text = readFileSync(path, 'utf8');
  const anew = readWireExamples(text).reduce(
    (spec, { words, hex }) => spec.replace(`${words}\n${hex}`, () => `${words}\n${encodeExample(words)}`),
    text,
  );
  writeFileSync(path, anew);
}
