import { expect, test, vi } from 'vitest';
import { openTestBridge } from '../../test/http/test-bridge.ts';

vi.mock('../../protocol/limits.ts', async (original) => {
  const { limits } = await original<typeof import('../../protocol/limits.ts')>();
  return { limits: { ...limits, stopTimeoutMs: 50 } };
});

test('H-8 a session of MCP that does not end does not keep a bridge from closing its sandboxes', async () => {
  const mcp = () => ({
    messageBytes: 0,
    answer: async () => new Response(),
    [Symbol.asyncDispose]: () => new Promise<void>(() => undefined),
  });
  const there = await openTestBridge({ mcp });
  const ran = await there.request('/v1/sandboxes/box-1/files?path=/etc/hostname');
  await ran.text();
  const closed = vi.spyOn(there.backend.sandbox('box-1'), 'close');
  await there[Symbol.asyncDispose]();
  expect(closed).toHaveBeenCalled();
});
