import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { openTraceCollector, type SentSpan } from '../http/trace-collector.ts';
import { makeTestFolder, runTestBridge, type TestFolder } from './open-test-host.ts';
import { runnableImage } from './runnable-image.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();

describe.skipIf(lack)(`traces of a bridge${lack ? ` (not here: ${lack})` : ''}`, () => {
  let files: TestFolder;
  beforeAll(async () => {
    files = await makeTestFolder();
  });
  afterAll(() => files?.[Symbol.asyncDispose]());
  afterEach(() => vi.unstubAllEnvs());

  test('C-3 tell what of a request went into jails, roots, snapshots, forks and garbage', async () => {
    await using collector = await openTraceCollector();
    vi.stubEnv('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', `${collector.url}/v1/traces`);
    vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
    const ids = await useBridge(collector.url);
    const below = (name: string) =>
      collector.spans.filter(({ spanId }) => spanId === parentOf(name)).map((each) => each.name);
    const parentOf = (name: string) => collector.spans.find((each) => each.name === name)?.parent;
    expect([below('image.unpack'), below('jail.start'), below('root.make')]).toEqual([
      [],
      ['backend.create'],
      ['backend.create'],
    ]);
    expect(below('snapshot.create')).toEqual(['history.createSnapshot']);
    expect(below('snapshot.checkout')).toEqual(['history.checkout']);
    expect(below('sandbox.fork')).toEqual(['history.fork']);
    expect(below('garbage.collect')).toEqual(['history.collectGarbage']);
    const checkout = collector.spans.find(({ name }) => name === 'snapshot.checkout');
    const restarts = collector.spans.filter(({ parent }) => parent === checkout?.spanId);
    expect(restarts.map(({ name }) => name)).toEqual(['root.make', 'jail.start']);
    const named = (span: SentSpan) => span.attributes['coppice.sandbox.id'];
    const work = collector.spans.filter(({ isServer, name }) => !isServer && name !== 'image.unpack');
    expect([...new Set(work.map(named))]).toEqual([ids.sandbox, ids.fork]);
    expect(new Set(collector.spans.map(({ service }) => service))).toEqual(new Set(['coppice-bridge']));
    expect(collector.bodies.filter((body) => body.includes('hush-hush'))).toEqual([]);
  });

  /** Does each of these once, and stops the bridge. */
  async function useBridge(url: string): Promise<{ sandbox: string; fork: string }> {
    await using bridge = await runTestBridge(files.options);
    expect(bridge.traces).toBe(`${url}/v1/traces`);
    await bridge.host.prepare(runnableImage);
    const { token } = bridge.host.tokens.create({ name: 'test', scope: 'all' });
    await using backend = await connect({ url: bridge.url, token });
    const sandbox = await Sandbox.create({ backend, name: 'hush-hush' });
    await sandbox.run('echo hush-hush > ~/hush-hush');
    const { id } = await sandbox.createSnapshot({ label: 'hush-hush' });
    const [fork] = await sandbox.fork({ from: id });
    if (!(fork instanceof Sandbox)) throw fork ?? new Error('Nothing was forked');
    await fork.close();
    await sandbox.checkout(id);
    const connection = await backend.open({ id: sandbox.id }, () => {});
    await connection.history.collectGarbage();
    await connection.close();
    await sandbox.close();
    return { sandbox: sandbox.id, fork: fork.id };
  }
});
