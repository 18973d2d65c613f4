import { expect, test } from 'vitest';
import type { ByteChannel } from './byte-channel.ts';
import { ByteWriter } from './byte-writer.ts';
import { headerBytes, initFrameTypes, nonceBytes, resyncMarker } from './frame-header.ts';
import { InitClient } from './init-client.ts';

/** A client of an init that answers HELLO and nothing else. `sent` are the types of what it was sent. */
async function connect(capabilities: number): Promise<{ client: InitClient; sent: number[] }> {
  const sent: number[] = [];
  const channel: ByteChannel = {
    send: async (bytes) => {
      const isHello = bytes[0] === resyncMarker[0];
      sent.push(bytes[isHello ? resyncMarker.length : 0] ?? 0);
      if (!isHello) return;
      const nonce = bytes.slice(resyncMarker.length + headerBytes).subarray(0, nonceBytes);
      const body = new ByteWriter()
        .bytes(nonce)
        .u32(1)
        .u32(capabilities)
        .bytes(new Uint8Array(nonceBytes))
        .u32(0);
      const hello = body.frame(initFrameTypes.hello, 0);
      queueMicrotask(() => channel.receive(Uint8Array.from([...resyncMarker, ...hello])));
    },
    receive: () => undefined,
  };
  const client = new InitClient(channel);
  await client.hello();
  return { client, sent };
}

test('IP-19 S-3 an init of an older version is asked for no status descriptor', async () => {
  const { client, sent } = await connect(7);
  const before = sent.length;
  await expect(client.exec({ command: 'true' }, () => undefined, { hasStatus: true })).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('start it anew'),
    details: { feature: 'shells' },
  });
  expect(sent).toHaveLength(before);
  client.close('the test is over');
});
