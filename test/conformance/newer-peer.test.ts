import { expect, onTestFinished, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { SandboxEvent } from '../../protocol/sandbox/events.ts';
import { openWire } from '../../protocol/wire/client/open-wire.ts';
import { serveWire } from '../../protocol/wire/server/serve-wire.ts';
import { portTransport } from '../../protocol/wire/transports/port-transport.ts';
import { connectionDouble, type SomeMethods } from '../fixtures/connection-double.ts';
import { sampleInfo, sampleSnapshot } from '../fixtures/wire-backend.ts';

/** What a server says that knows more than this version: words, fields, causes, codes and events of its own. */
const newerInfo = { ...sampleInfo, runtime: 'unikernel', mood: 'sunny' };
const newerSnapshot = { ...sampleSnapshot, cause: { type: 'merge', of: ['a', 'b'] }, signedBy: 'somebody' };
const newerEvents = [
  { seq: 1, type: 'merged', with: 'another' },
  { seq: 2, type: 'snapshot', snapshot: newerSnapshot, head: sampleSnapshot.id },
  { seq: 3, type: 'capture-stopped', error: { code: 'quota-hit', message: 'No more today', details: {} } },
];
const methods = {
  info: {
    get: async () => newerInfo,
    storage: async () => ({
      storedBytes: 1,
      snapshots: 1,
      usageBytes: 1,
      quotaBytes: 2,
      persisted: true,
      backend: 'tape',
      stopped: { code: 'quota-hit', message: 'No more today', details: { until: 'Monday' } },
    }),
  },
  history: {
    get: async () => ({
      snapshots: [newerSnapshot],
      head: sampleSnapshot.id,
      pending: { created: 0, modified: 0, deleted: 0, moved: 3, paths: [] },
    }),
  },
  events: {
    subscribe: async (_ask: object, listener: (event: unknown) => void) => {
      for (const event of newerEvents) listener(event);
      return () => undefined;
    },
  },
};

test('WP-10 what a newer server says beyond this version ends no session, and its events of unknown types are skipped', async () => {
  const { port1, port2 } = new MessageChannel();
  // Beyond the types of this version.
  const connection = connectionDouble(methods as unknown as SomeMethods);
  const backend = {
    open: async (_ask: object, onProgress: (progress: object) => void) => {
      onProgress({ stage: 'thaw', doneBytes: 1, totalBytes: 2, elapsedMs: 3, warmth: 4 });
      return connection;
    },
    list: async () => [newerInfo],
  } as unknown as SandboxBackend;
  const served = serveWire(portTransport(port2), { backend });
  const remote = await openWire(async () => portTransport(port1));
  onTestFinished(async () => {
    await remote.close();
    await served.ended;
  });
  const stages: string[] = [];
  const sandbox = await remote.open({ id: 'oak' }, ({ stage }) => stages.push(stage));
  expect([stages, (await remote.list())[0]]).toMatchObject([['thaw'], { runtime: 'unikernel' }]);
  const told = Promise.withResolvers<readonly SandboxEvent[]>();
  const events: SandboxEvent[] = [];
  await sandbox.events.subscribe({ after: 0 }, (event) => {
    events.push(event);
    if (event.type === 'capture-stopped') told.resolve(events);
  });
  expect((await told.promise).map(({ seq }) => seq)).toEqual([2, 3]);
  expect((await sandbox.history.get()).snapshots[0]?.cause.type).toBe('merge');
  const { stopped } = await sandbox.info.storage();
  expect(SandboxError.from(stopped)).toMatchObject({
    code: 'internal',
    message: 'No more today',
    details: { code: 'quota-hit', until: 'Monday' },
  });
  expect((await sandbox.info.get()).id).toBe(sampleInfo.id);
});
