import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import type { MachineProcessEvent } from '../machine-process.ts';
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

/** A process whose listener takes nothing until it is let; what it then took, and frames that were sent. */
function heldProcess() {
  const open = Promise.withResolvers<void>();
  const events: MachineProcessEvent[] = [];
  const sent: HostFrame[] = [];
  const process = new InitProcess({
    ...{ id: 1, pty: false },
    send: async (frame) => void sent.push(frame),
    listener: async (event) => {
      await open.promise;
      events.push(event);
    },
  });
  process.begin({ pid: 7, stdinCredit: 0, resumed: false });
  const write = (type: 'stdout' | 'stderr' | 'status', text: string) =>
    process.accept({ type, id: 1, bytes: new TextEncoder().encode(text) });
  const text = (type: MachineProcessEvent['type']) =>
    events
      .map((event) => (event.type === type && 'bytes' in event ? new TextDecoder().decode(event.bytes) : ''))
      .join('');
  const settle = async (bytes: number) => {
    open.resolve();
    await expect.poll(() => text('stdout').length + text('stderr').length).toBe(bytes);
  };
  return { events, sent, write, text, settle };
}

test('H-8 output that is printed byte by byte waits in a few pieces, and all of it is granted anew', async () => {
  const { events, sent, write, text, settle } = heldProcess();
  const sizeBytes = limits.streamWindowBytes / 2;
  for (let at = 0; at < sizeBytes; at++) write('stdout', String(at % 10));
  await settle(sizeBytes);
  expect(events.length).toBeLessThan(150);
  expect(text('stdout')).toBe('0123456789'.repeat(sizeBytes / 10 + 1).slice(0, sizeBytes));
  const credit = sent.reduce((sum, frame) => sum + (frame.type === 'credit' ? frame.bytes : 0), 0);
  expect(credit).toBeGreaterThan(sizeBytes / 2);
});

test('H-8 output and errors that take turns keep their order while a little of them waits, and few pieces after that', async () => {
  const { events, write, text, settle } = heldProcess();
  const turns = limits.streamWindowBytes / 8;
  for (let at = 0; at < turns; at++) {
    write('stdout', 'o');
    write('stderr', 'e');
  }
  await settle(2 * turns);
  expect(events.slice(0, 6).map(({ type }) => type)).toEqual([
    'stdout',
    'stderr',
    'stdout',
    'stderr',
    'stdout',
    'stderr',
  ]);
  expect(events.length).toBeLessThan(2_000);
  expect([text('stdout'), text('stderr')]).toEqual(['o'.repeat(turns), 'e'.repeat(turns)]);
});

test('H-9 a process that writes to its status descriptor between all else is ended', () => {
  const { sent, write } = heldProcess();
  for (let at = 0; at < 10_000; at++) {
    write('stdout', 'o');
    write('status', 's');
  }
  expect(sent.some(({ type }) => type === 'close')).toBe(true);
});

test('IP-18 the end of a connection, which is output of no bytes, comes after what waits before it', async () => {
  const { events, write, settle } = heldProcess();
  for (const text of ['first', 'last', '']) write('stdout', text);
  await settle(9);
  const lengths = () => events.map((event) => ('bytes' in event ? event.bytes.length : undefined));
  await expect.poll(lengths).toEqual([5, 4, 0]);
});
