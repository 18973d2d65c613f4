import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../network/public-address.ts';
import { askNameServers, pinAddresses } from './pinned-addresses.ts';

/** Records by name and type (1: A, 28: AAAA), as bytes. */
const records: Readonly<Record<string, Readonly<Record<number, readonly (readonly number[])[]>>>> = {
  'both.test': { 1: [[140, 82, 121, 4]], 28: [[0x26, 0x06, ...Array<number>(13).fill(0), 1]] },
  'half.test': { 1: [[140, 82, 121, 4]], 28: [[...Array<number>(15).fill(0), 1]] },
  'second.test': {
    1: [
      [140, 82, 121, 4],
      [10, 0, 0, 1],
    ],
  },
};

let server: Socket;
let servers: string[];
const silent = Promise.withResolvers<void>();

beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (question, { port, address }) => {
    const answer = answerTo(question);
    if (answer) server.send(answer, port, address);
    else silent.resolve();
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  servers = [`127.0.0.1:${server.address().port}`];
});
afterAll(() => void server.close());

const pin = (name: string, signal: AbortSignal = new AbortController().signal) =>
  pinAddresses(name, { resolve: askNameServers(servers), mayReach: isPublicAddress, signal });

describe('S-6 B2-28 the addresses that the git proxy connects to', () => {
  test('are all that name servers give to a name', async () => {
    expect(await pin('both.test')).toEqual([
      { address: '140.82.121.4', family: 4 },
      { address: '2606::1', family: 6 },
    ]);
  });

  test('are none when one of them is not public, whichever it is', async () => {
    await expect(pin('half.test')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(pin('second.test')).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('are none of a name that only this host knows', async () => {
    for (const name of ['localhost', 'absent.test']) {
      await expect(pin(name)).rejects.toMatchObject({
        code: expect.stringMatching(/^(connection-lost|forbidden)$/),
      });
    }
  });

  test('are not waited for by who has gone', async () => {
    const leave = new AbortController();
    const waiting = pin('silent.test', leave.signal);
    await silent.promise;
    leave.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
  });
});

/** An answer (RFC 1035, 4.1) to a query of one question; none to what is to be waited for. */
function answerTo(question: Buffer): Buffer | undefined {
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
