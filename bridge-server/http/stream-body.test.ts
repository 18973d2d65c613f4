import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SseStream } from './sse-stream.ts';
import { streamBody } from './stream-body.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (part: { value?: Uint8Array | undefined }) => new TextDecoder().decode(part.value);

function scripted(pieces: (Uint8Array | Error)[]) {
  const close = vi.fn();
  const outgoing = { destroy: vi.fn() };
  const onError = vi.fn();
  const pull = vi.fn(async () => {
    const next = pieces.shift();
    if (next instanceof Error) throw next;
    return next;
  });
  const body = streamBody({ pull, close }, { outgoing: outgoing as never, onError, stalledMs: 1_000 });
  return { body, close, outgoing, onError, pull };
}

describe('a body that is made while it is read', () => {
  test('asks for a piece only when the client wants one, and closes at the end', async () => {
    const { body, close, pull } = scripted([bytes('a'), bytes('b')]);
    const reader = body.getReader();
    await vi.advanceTimersByTimeAsync(0);
    expect(pull).toHaveBeenCalledTimes(0);
    expect(text(await reader.read())).toBe('a');
    expect(pull).toHaveBeenCalledTimes(1);
    await reader.read();
    expect((await reader.read()).done).toBe(true);
    expect([close.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  test('H-8 is let go of when the client does not read', async () => {
    const { body, close, outgoing } = scripted([bytes('a'), bytes('b')]);
    await body.getReader().read();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([close.mock.calls.length, outgoing.destroy.mock.calls.length]).toEqual([1, 1]);
  });

  test('H-8 is let go of when nobody ever reads, and when the client goes', async () => {
    const first = scripted([bytes('a')]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(first.close).toHaveBeenCalledTimes(1);
    const second = scripted([bytes('a')]);
    await second.body.cancel();
    expect([second.close.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  test('one that fails breaks the connection instead of ending', async () => {
    const failure = new Error('no more');
    const { body, close, outgoing, onError } = scripted([bytes('a'), failure]);
    const reader = body.getReader();
    await reader.read();
    reader.read();
    await vi.advanceTimersByTimeAsync(0);
    expect(onError).toHaveBeenCalledWith(failure);
    expect([close.mock.calls.length, outgoing.destroy.mock.calls.length]).toEqual([1, 1]);
    await reader.cancel();
    expect(close).toHaveBeenCalledTimes(1);
  });
});

describe('a stream of server-sent events', () => {
  test('says that it is there when nothing happens', async () => {
    const stream = new SseStream(() => {}, { heartbeatMs: 500 });
    const pulled = stream.pull();
    await vi.advanceTimersByTimeAsync(500);
    expect(text({ value: await pulled })).toBe(': still here\n\n');
  });

  test('a sender waits until its event is taken; an end comes after what was sent', async () => {
    const stream = new SseStream(() => {});
    let isTaken = false;
    const sent = stream.send({ id: '1', event: 'x', data: 'a\nb' }).then(() => {
      isTaken = true;
    });
    stream.end();
    await vi.advanceTimersByTimeAsync(0);
    expect([isTaken, stream.pending]).toEqual([false, 1]);
    expect(text({ value: await stream.pull() })).toBe('id: 1\nevent: x\ndata: "a\\nb"\n\n');
    await sent;
    expect(await stream.pull()).toBeUndefined();
    await expect(stream.send({ event: 'x', data: 1 })).rejects.toMatchObject({ code: 'aborted' });
  });

  test('H-8 who waits is told when the client goes', async () => {
    const onClose = vi.fn();
    const stream = new SseStream(onClose);
    const sent = stream.send({ event: 'x', data: 1 });
    await stream.close();
    await expect(sent).rejects.toMatchObject({ code: 'aborted' });
    expect(onClose).toHaveBeenCalledTimes(1);
  });
});
