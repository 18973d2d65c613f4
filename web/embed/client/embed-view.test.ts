import { expect, test } from 'vitest';
import type { ViewEvent } from '../messages.ts';
import { EmbedView } from './embed-view.ts';

test('P-6 a page takes of a frame what is an event of what it shows, and nothing else', async () => {
  const { port1, port2 } = new MessageChannel();
  const told: ViewEvent[] = [];
  const done = Promise.withResolvers<void>();
  new EmbedView(port1, (event) => {
    told.push(event);
    if (event.type === 'problem') done.resolve();
  });
  for (const data of [
    null,
    7,
    { type: 'continued' },
    { type: 'continued', sandbox: 7 },
    { type: 'continued', sandbox: 'a', px: 1 },
    { type: 'height', px: -1 },
    { type: 'height', px: 1e9 },
    { type: 'problem', message: 'x'.repeat(10_000) },
  ])
    port2.postMessage(data);
  await done.promise;
  expect(told).toEqual([
    { type: 'continued', sandbox: 'a' },
    { type: 'height', px: 2_000 },
    { type: 'problem', message: 'x'.repeat(500) },
  ]);
  port1.close();
});
