import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { WireSessions } from '../../protocol/wire/server/wire-sessions.ts';
import { connect } from '../../sdk/connect.ts';
import { upgradeStatus } from '../../test/http/socket-client.ts';
import { openTestBridge, type TestBridge, testTokens } from '../../test/http/test-bridge.ts';
import { openTraceCollector, type TraceCollector } from '../../test/http/trace-collector.ts';
import { serveSockets } from '../main/serve-sockets.ts';
import type { Tracer } from '../trace-contract.ts';
import { openTracer } from './open-tracer.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parent = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${parent}-01`;

let collector: TraceCollector;
let tracer: Tracer;
let sessions: WireSessions;
let there: TestBridge;
let troubles: string[];
beforeEach(async () => {
  collector = await openTraceCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-key=hush');
  vi.stubEnv('OTEL_SERVICE_NAME', 'bridge of a test');
  troubles = [];
  tracer = await openTracer({ onTrouble: (why) => troubles.push(why), flushTimeoutMs: 200 });
  sessions = new WireSessions();
  there = await openTestBridge({ tracer, onSocket: serveSockets(sessions, { tracer }) });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stop();
  await collector[Symbol.asyncDispose]();
});

/** In the order in which a bridge of a host does. */
async function stop(): Promise<void> {
  await there[Symbol.asyncDispose]();
  await sessions[Symbol.asyncDispose]();
  await tracer[Symbol.asyncDispose]();
}

const sent = (name: string) => collector.spans.filter((span) => span.name === name);

test('C-3 a request goes on with the trace of its client, and log and answer name it too', async () => {
  const answer = await there.request('/v1/sandboxes/box-1', { headers: { traceparent } });
  const requestId = answer.headers.get('x-request-id');
  await answer.text();
  await stop();
  expect(collector.spans).toEqual([
    {
      name: 'GET /v1/sandboxes/:id',
      traceId,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      parent,
      isServer: true,
      hasFailed: false,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/sandboxes/:id',
        'http.response.status_code': 200,
        'coppice.request.id': requestId,
        'coppice.sandbox.id': 'box-1',
      },
      service: 'bridge of a test',
    },
  ]);
  expect(collector.headers).toMatchObject({ 'x-key': 'hush' });
  expect(there.log.filter(({ msg }) => msg === 'request')).toMatchObject([{ requestId, traceId }]);
});

test('C-3 a request without a trace begins one, and so does one whose trace cannot be read', async () => {
  await (await there.request('/v1/sandboxes')).text();
  await (await there.request('/v1/sandboxes', { headers: { traceparent: '00-0-0-01' } })).text();
  await stop();
  const [one, two] = sent('GET /v1/sandboxes');
  expect([one?.parent, two?.parent]).toEqual(['', '']);
  expect(one?.traceId).not.toBe(two?.traceId);
});

test('C-3 what its client does not send is not sent: a parent that is not sampled', async () => {
  const headers = { traceparent: `00-${traceId}-${parent}-00` };
  await (await there.request('/v1/sandboxes', { headers })).text();
  await stop();
  expect(collector.bodies).toEqual([]);
});

test('C-3 a request that fails tells its code; it counts as failed when the fault is ours', async () => {
  there.backend.onOpen = (sandbox) => {
    vi.spyOn(sandbox.history, 'createSnapshot').mockRejectedValue(
      new SandboxError('machine-failed', 'It burns'),
    );
  };
  for (const box of ['box-9', 'box-1'])
    await (await there.request(`/v1/sandboxes/${box}/snapshots`, { method: 'POST', json: {} })).text();
  await (await there.request('/nowhere/at/all')).text();
  await stop();
  const facts = collector.spans.map(({ name, hasFailed, attributes }) => [
    name,
    attributes['coppice.sandbox.id'],
    attributes['error.type'],
    hasFailed,
  ]);
  expect(facts).toEqual([
    ['POST /v1/sandboxes/:id/snapshots', undefined, 'not-found', false],
    ['POST /v1/sandboxes/:id/snapshots', 'box-1', 'machine-failed', true],
    ['GET', undefined, 'not-found', false],
  ]);
});

test('C-3 each request of the wire protocol has a span with its method, its sandbox and its code', async () => {
  const bridge = await connect({ url: there.bridge.url, token: testTokens.all });
  const connection = await bridge.open({ id: 'box-1' }, () => {});
  await connection.history.get();
  await expect(connection.files.read({ path: '/none' })).rejects.toMatchObject({ code: 'not-found' });
  await connection.close();
  await expect(bridge.open({ id: 'box-9' }, () => {})).rejects.toMatchObject({ code: 'not-found' });
  await bridge[Symbol.asyncDispose]();
  await stop();
  const [connecting, ...requests] = collector.spans;
  expect(connecting?.name).toBe('GET /v1/connect');
  const facts = requests.map(({ name, isServer, parent, attributes }) => [
    name,
    isServer,
    parent,
    attributes,
  ]);
  const ofBox = { 'coppice.sandbox.id': 'box-1' };
  expect(facts).toEqual([
    ['backend.open', true, '', ofBox],
    ['history.get', true, '', ofBox],
    ['files.read', true, '', { ...ofBox, 'error.type': 'not-found' }],
    ['close', true, '', ofBox],
    ['backend.open', true, '', { 'error.type': 'not-found' }],
  ]);
});

test('C-3 a terminal has a span until it is open, and so has one that is refused', async () => {
  const headers = { traceparent };
  const protocols = ['coppice.v1', `coppice.token.${testTokens.all}`];
  const open = (path: string) => upgradeStatus(there.bridge.url + path, { protocols, headers });
  expect(await open('/v1/sandboxes/box-1/terminal')).toBe(101);
  expect(await open('/v1/sandboxes/box-9/terminal')).toBe(404);
  await stop();
  const route = '/v1/sandboxes/:id/terminal';
  const common = { 'http.request.method': 'GET', 'http.route': route };
  const status = 'http.response.status_code';
  expect(collector.spans).toMatchObject([
    {
      name: `GET ${route}`,
      traceId,
      parent,
      attributes: { ...common, [status]: 101, 'coppice.sandbox.id': 'box-1' },
    },
    {
      name: `GET ${route}`,
      traceId,
      parent,
      attributes: { ...common, [status]: 404, 'error.type': 'not-found' },
    },
  ]);
  expect(collector.spans[1]?.attributes).not.toHaveProperty('coppice.sandbox.id');
});

test('C-3 a sandbox that is opened for a request starts below it, whichever way it came', async () => {
  const starting: Promise<void>[] = [];
  there.backend.onOpen = () => {
    starting.push(tracer.during('jail.start', {}, async () => {}));
  };
  await (await there.request('/v1/sandboxes/box-1/start', { method: 'POST' })).text();
  await (await there.request('/v1/sandboxes/box-1/stop', { method: 'POST' })).text();
  const protocols = ['coppice.v1', `coppice.token.${testTokens.all}`];
  expect(await upgradeStatus(`${there.bridge.url}/v1/sandboxes/box-1/terminal`, { protocols })).toBe(101);
  const bridge = await connect({ url: there.bridge.url, token: testTokens.all });
  await bridge.open({ id: 'box-2' }, () => {});
  await bridge[Symbol.asyncDispose]();
  await Promise.all(starting);
  await stop();
  const parents = sent('jail.start').map(({ parent }) =>
    collector.spans.find(({ spanId }) => spanId === parent),
  );
  expect(parents.map((span) => span?.name)).toEqual([
    'POST /v1/sandboxes/:id/start',
    'GET /v1/sandboxes/:id/terminal',
    'backend.open',
  ]);
});

test('H-9 nothing that a client or a sandbox says is sent, but ids and codes', async () => {
  const hush = 'hush-hush';
  there.backend.onOpen = (sandbox) => {
    sandbox.onExec = async (process) => {
      await process.say(hush);
      await process.end();
    };
  };
  const headers = { traceparent, tracestate: `a=${hush}`, baggage: `a=${hush}`, 'user-agent': hush };
  const run = { command: `echo ${hush}`, env: { SECRET: hush }, cwd: `/${hush}` };
  const answers = [
    await there.request('/v1/sandboxes/box-1/commands', { method: 'POST', json: run, headers }),
    await there.request(`/v1/sandboxes/box-1/files?path=/${hush}`, { headers }),
    await there.request(`/v1/sandboxes/${hush}/snapshots`, { headers }),
    await there.request(`/${hush}`, { headers }),
    await there.request('/v1/sandboxes/box-1/snapshots', { method: 'POST', json: { label: hush }, headers }),
  ];
  for (const answer of answers) await answer.text();
  const bridge = await connect({ url: there.bridge.url, token: testTokens.all });
  const connection = await bridge.open({ id: 'box-1' }, () => {});
  await connection.processes.exec({ command: `echo ${hush}` }, () => {});
  await connection.files.read({ path: `/${hush}` }).catch(() => {});
  await bridge[Symbol.asyncDispose]();
  await stop();
  expect(collector.spans.length).toBeGreaterThanOrEqual(8);
  expect(collector.bodies.filter((body) => body.includes(hush) || body.includes('cpc_'))).toEqual([]);
});

test('C-3 a collector that is gone costs requests nothing and is told of once', async () => {
  await collector[Symbol.asyncDispose]();
  expect((await there.request('/v1/sandboxes')).status).toBe(200);
  await stop();
  expect(troubles).toHaveLength(1);
});

test('C-3 a collector that refuses is told of once', async () => {
  collector.status = 403;
  for (let spans = 0; spans < 1_100; spans++) tracer.receive('close').end();
  await stop();
  expect(collector.bodies.length).toBeGreaterThan(1);
  expect(troubles).toHaveLength(1);
});

test('H-8 a collector that does not answer does not keep the bridge from stopping', async () => {
  collector.status = undefined;
  expect((await there.request('/v1/sandboxes')).status).toBe(200);
  await there[Symbol.asyncDispose]();
  const stopping = tracer[Symbol.asyncDispose]();
  await expect.poll(() => collector.waiting).toBe(1);
  await stopping;
  expect(troubles).toEqual(['it did not take the last ones in time']);
});

test('C-3 spans that no collector takes are dropped past their bound', async () => {
  collector.status = undefined;
  for (let spans = 0; spans < 10_000; spans++) tracer.receive('close').end();
  collector.status = 200;
  await stop();
  expect(collector.spans.length).toBeLessThan(3_000);
});

test('C-3 work of the host is below the request that waits for it, and tells its own code', async () => {
  const span = tracer.receive('POST /v1/sandboxes');
  const facts = { sandbox: 'box-1' };
  const failing = async () => {
    throw new SandboxError('storage-full', 'The disk is full of hush-hush');
  };
  const working = span.run(() =>
    tracer.during('sandbox.fork', facts, () => tracer.during('jail.start', facts, failing)),
  );
  await expect(working).rejects.toMatchObject({ code: 'storage-full' });
  await tracer.during('image.unpack', {}, async () => {});
  span.end();
  await stop();
  const [[request], [fork], [start], [unpacking]] = [
    sent('POST /v1/sandboxes'),
    sent('sandbox.fork'),
    sent('jail.start'),
    sent('image.unpack'),
  ];
  const failure = {
    attributes: { 'coppice.sandbox.id': 'box-1', 'error.type': 'storage-full' },
    isServer: false,
    hasFailed: true,
    traceId: request?.traceId,
  };
  expect(fork).toMatchObject({ ...failure, parent: request?.spanId });
  expect(start).toMatchObject({ ...failure, parent: fork?.spanId });
  expect(unpacking).toMatchObject({ parent: '', hasFailed: false, attributes: {} });
  expect(collector.bodies.join()).not.toContain('hush-hush');
});
