import { expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { FlowLog } from './flow-log.ts';

const facts = { type: 'connection', address: '140.82.121.4', port: 443, verdict: 'allowed' } as const;

test('O-8 the log tells of what goes on how far it is, and of what is over how long it took', () => {
  const log = new FlowLog();
  const entry = log.begin(facts);
  const began = { ...facts, id: 1, startedAtMs: expect.any(Number) };
  expect(log.read()).toEqual({ flows: [began], forgotten: 0 });
  let sentBytes = 1;
  entry.update(() => ({ ...facts, sentBytes }));
  sentBytes = 2;
  expect(log.read().flows).toEqual([{ ...began, sentBytes: 2 }]);
  entry.end({ ...facts, verdict: 'failed', why: 'ECONNREFUSED' });
  const ended = { ...began, verdict: 'failed', why: 'ECONNREFUSED', durationMs: expect.any(Number) };
  expect(log.read().flows).toEqual([ended]);
});

test('O-8 the oldest are forgotten, and counted', () => {
  const log = new FlowLog();
  for (let count = 0; count < limits.networkLogEntries + 3; count++) log.begin(facts);
  const { flows, forgotten } = log.read();
  expect([flows.length, flows[0]?.id, forgotten]).toEqual([limits.networkLogEntries, 4, 3]);
});
