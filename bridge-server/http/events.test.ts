import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { readSse } from '../../test/http/read-sse.ts';
import { openTestBridge, type TestBridge } from '../../test/http/test-bridge.ts';

let there: TestBridge;
beforeEach(async () => {
  there = await openTestBridge();
  await there.request('/v1/sandboxes/box-1/start', { method: 'POST' });
});
afterEach(() => there[Symbol.asyncDispose]());

const follow = (headers: Record<string, string> = {}) =>
  there.request('/v1/sandboxes/box-1/events', { headers });
const emit = (count: number) => {
  const sandbox = there.backend.sandbox('box-1');
  for (let index = 0; index < count; index++) sandbox.emit({ type: 'history' });
};

test('O-6 every kept event comes, and then each as it happens', async () => {
  emit(2);
  const answer = await follow();
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const events = readSse(answer);
  const first = await events.next();
  expect(first).toMatchObject({ event: 'history', data: { type: 'history', seq: 1 } });
  expect(first?.id).toMatch(/^[0-9a-f]{8}-1$/);
  expect(await events.next()).toMatchObject({ data: { seq: 2 } });
  emit(1);
  expect(await events.next()).toMatchObject({ data: { seq: 3 } });
  await events.cancel();
});

test('O-6 a client that comes back goes on after the last that it has seen', async () => {
  emit(3);
  const before = readSse(await follow());
  await before.next();
  const seen = await before.next();
  await before.cancel();
  emit(1);
  const after = readSse(await follow({ 'last-event-id': seen?.id ?? '' }));
  expect([await after.next(), await after.next()]).toMatchObject([
    { data: { seq: 3 } },
    { data: { seq: 4 } },
  ]);
  await after.cancel();
});

test('O-6 what is no longer kept is told as a gap', async () => {
  emit(5);
  const before = readSse(await follow());
  const seen = await before.next();
  await before.cancel();
  there.backend.sandbox('box-1').emitted.splice(0, 3);
  const after = readSse(await follow({ 'last-event-id': seen?.id ?? '' }));
  expect(await after.next()).toEqual({ event: 'gap', data: { from: 2, to: 3 } });
  expect(await after.next()).toMatchObject({ data: { seq: 4 } });
  await after.cancel();
});

test('O-6 numbers of an earlier opening are not taken for those of this one', async () => {
  emit(3);
  const before = readSse(await follow());
  await before.next();
  const seen = await before.next();
  await before.cancel();
  await there.request('/v1/sandboxes/box-1/stop', { method: 'POST' });
  await there.request('/v1/sandboxes/box-1/start', { method: 'POST' });
  emit(1);
  const after = readSse(await follow({ 'last-event-id': seen?.id ?? '' }));
  expect(await after.next()).toEqual({ event: 'gap', data: { reopened: true } });
  expect(await after.next()).toMatchObject({ data: { seq: 1 } });
  await after.cancel();
});

test('the stream ends when the sandbox closes', async () => {
  const events = readSse(await follow());
  await there.request('/v1/sandboxes/box-1/stop', { method: 'POST' });
  expect(await events.next()).toMatchObject({ event: 'closed' });
  expect(await events.next()).toBeUndefined();
});

test('O-6 a reader that falls behind is sent away, and can come back', async () => {
  const answer = await follow();
  // More in one go than any reader could take.
  emit(limits.eventRing + 5);
  const events = readSse(answer);
  let last: string | undefined;
  for (let event = await events.next(); event; event = await events.next()) last = event.id;
  const again = readSse(await follow({ 'last-event-id': last ?? '' }));
  const number = Number(last?.split('-')[1]);
  expect(number).toBeLessThan(limits.eventRing + 5);
  expect(await again.next()).toMatchObject({ event: 'history', data: { seq: number + 1 } });
  await again.cancel();
});

test('H-8 a client that goes away is no longer told', async () => {
  const { followers } = there.backend.sandbox('box-1');
  const answer = await follow();
  expect(there.backend.sandbox('box-1').followers).toBe(followers + 1);
  await answer.body?.cancel();
  while (there.backend.sandbox('box-1').followers > followers) await there.request('/health');
  expect(there.backend.sandbox('box-1').followers).toBe(followers);
});
