import { limits } from '../../protocol/limits.ts';

/** A question as of RFC 1035, of which there is one in each message. */
export interface DnsQuestion {
  /** In lower case, without the dot at its end. */
  readonly name: string;
  readonly isForIpv4: boolean;
  /** All of the message up to the end of the question. */
  readonly bytes: Buffer;
}

export interface DnsRecord {
  /** Of IPv4. */
  readonly address: string;
  readonly ttlSeconds: number;
}

/** RFC 1035, 4.1.1. */
export const dnsCodes = { ok: 0, failed: 2, noSuchName: 3, refused: 5 } as const;

const headerBytes = 12;
const typeA = 1;
const classInternet = 1;
/** A pointer to the question's name, type, class, TTL, length, and four bytes. */
const recordBytes = 16;
const label = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;

/** `undefined` for what is no question for one name of a host. */
export function parseDnsQuestion(message: Buffer): DnsQuestion | undefined {
  if (message.length < headerBytes || message.length > limits.networkQuestionBytes) return undefined;
  // A query (not a response) of the standard kind, with one question.
  if ((message.readUInt8(2) & 0xf8) !== 0 || message.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let at = headerBytes;
  for (;;) {
    const length = message[at] ?? 0xff;
    if (length === 0) break;
    // Pointers are longer, and have nothing to point to here.
    const text = message.toString('latin1', at + 1, at + 1 + length);
    if (length > 63 || text.length !== length || !label.test(text)) return undefined;
    labels.push(text.toLowerCase());
    at += 1 + length;
  }
  const end = at + 5;
  const name = labels.join('.');
  if (end > message.length || labels.length === 0 || name.length > 253) return undefined;
  if (message.readUInt16BE(at + 3) !== classInternet) return undefined;
  return { name, isForIpv4: message.readUInt16BE(at + 1) === typeA, bytes: message.subarray(0, end) };
}

/** The answer to a question, with as many of `records` as it has room for. */
export function composeDnsAnswer(
  { bytes }: DnsQuestion,
  { code, records = [] }: { readonly code: number; readonly records?: readonly DnsRecord[] },
): Buffer {
  const room = Math.floor((limits.networkAnswerBytes - bytes.length) / recordBytes);
  const told = records.slice(0, room);
  const head = Buffer.from(bytes);
  // A response; recursion is desired where it was, and available.
  head.writeUInt16BE(0x8080 | (head.readUInt16BE(2) & 0x0100) | code, 2);
  head.writeUInt16BE(told.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...told.map(composeRecord)]);
}

function composeRecord({ address, ttlSeconds }: DnsRecord): Buffer {
  const record = Buffer.alloc(recordBytes);
  record.writeUInt16BE(0xc000 | headerBytes, 0);
  record.writeUInt16BE(typeA, 2);
  record.writeUInt16BE(classInternet, 4);
  record.writeUInt32BE(Math.min(Math.max(ttlSeconds, 0), 0x7fffffff), 6);
  record.writeUInt16BE(4, 10);
  record.set(address.split('.').map(Number), 12);
  return record;
}
