import { expect, test } from 'vitest';
import type { HostFrame } from './host-frames.ts';
import { InitProcess } from './init-process.ts';

test('B-4 S-3 what is left of a write when the machine is restored does not reach the process that goes on', async () => {
  const written: string[] = [];
  const begun = Promise.withResolvers<void>();
  const send = async (frame: HostFrame) => {
    if (frame.type !== 'stdin') return;
    written.push(new TextDecoder().decode(frame.bytes));
    begun.resolve();
  };
  const process = new InitProcess({ id: 1, pty: false, listener: () => undefined, send });
  process.begin({ pid: 7, stdinCredit: 4, resumed: false });
  const bytes = new TextEncoder().encode('echo never');
  const writes = Promise.allSettled([process.write(bytes), process.write(bytes)]);
  await begun.promise;
  process.begin({ pid: 7, stdinCredit: 100, resumed: true });
  const lost = { status: 'rejected', reason: expect.objectContaining({ code: 'connection-lost' }) };
  expect(await writes).toEqual([lost, lost]);
  await process.write(new TextEncoder().encode('after'));
  expect(written).toEqual(['echo', 'after']);
});
