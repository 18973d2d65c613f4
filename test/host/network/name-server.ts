import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** Records by name and type (1: A, 28: AAAA), as bytes. */
export type NameRecords = Readonly<Record<string, Readonly<Record<number, readonly (readonly number[])[]>>>>;

/** A name server on the loopback that knows these names, and no others. */
export interface NameServer extends Disposable {
  /** With its port, as resolvers take it. */
  readonly address: string;
  /** Resolves when it is asked for `silent.test`, to which it says nothing. */
  readonly silent: Promise<void>;
}

export async function openNameServer(records: NameRecords): Promise<NameServer> {
  const silent = Promise.withResolvers<void>();
  const server = createSocket('udp4');
  server.on('message', (question, { port, address }) => {
    const answer = answerTo(question, records);
    if (answer) server.send(answer, port, address);
    else silent.resolve();
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${server.address().port}`,
    silent: silent.promise,
    [Symbol.dispose]: () => void server.close(),
  };
}

/** An answer (RFC 1035, 4.1) to a query of one question; none to what is to be waited for. */
function answerTo(question: Buffer, records: NameRecords): Buffer | undefined {
  let end = 12;
  const labels: string[] = [];
  for (let length = question[end] ?? 0; length > 0; length = question[end] ?? 0) {
    labels.push(question.toString('latin1', end + 1, end + 1 + length));
    end += 1 + length;
  }
  const name = labels.join('.').toLowerCase();
  if (name === 'silent.test') return undefined;
  const type = question.readUInt16BE(end + 1);
  const found = records[name]?.[type] ?? [];
  const head = Buffer.from(question.subarray(0, 12));
  // A response, recursion available; NXDOMAIN for a name that is not there.
  head.writeUInt16BE(name in records ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(found.length, 6);
  head.writeUInt32BE(0, 8);
  const answers = found.map((bytes) =>
    Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, bytes.length]), Buffer.from(bytes)]),
  );
  return Buffer.concat([head, question.subarray(12, end + 5), ...answers]);
}
