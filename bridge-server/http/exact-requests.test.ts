import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readSse } from '../../test/http/read-sse.ts';
import { openTestBridge, type TestBridge } from '../../test/http/test-bridge.ts';
import { nearestName } from './nearest-name.ts';

let there: TestBridge;
beforeEach(async () => {
  there = await openTestBridge();
});
afterEach(() => there[Symbol.asyncDispose]());

const home = '/v1/sandboxes/box-1';
const refusal = async (path: string, init?: Parameters<TestBridge['request']>[1]) => {
  const answer = await there.request(path, init);
  const { error } = await answer.json();
  return [answer.status, error.message];
};

describe('C-3 what a request says and nobody knows', () => {
  test('is refused with the nearest field that there is', async () => {
    const post = (json: unknown) => ({ method: 'POST', json });
    expect(await refusal('/v1/sandboxes', post({ memoryMB: 2048 }))).toEqual([
      400,
      'Cannot use the body: there is no field "memoryMB"; did you mean "memoryMiB"?',
    ]);
    // Walls are the operator's to choose: nobody gives them up over the network.
    expect(await refusal('/v1/sandboxes', post({ isolation: 'none' }))).toEqual([
      400,
      expect.stringContaining('Cannot use the body: there is no field "isolation"'),
    ]);
    expect((await there.backend.list()).length).toBe(2);
    expect(await refusal(`${home}/commands`, post({ command: 'true', env: {} }))).toEqual([
      400,
      'Cannot use the body: there is no field "env"; did you mean "envs"?',
    ]);
    expect(await refusal(`${home}/timeout`, post({ timeout: 60 }))).toEqual([
      400,
      'Cannot use the body: there is no field "timeout"; did you mean "timeoutMs"?',
    ]);
    expect(await refusal('/v1/sandboxes', post({ workspace: { git: 'file:///x', branch: 'b' } }))).toEqual([
      400,
      'Cannot use the body: workspace: there is no field "branch"; there are git, ref, commit, path, credentials, submodules',
    ]);
    expect(await refusal('/v1/tokens', post({ name: 'x', scope: { sandbox: [] }, access: 'read' }))).toEqual([
      400,
      'Cannot use the body: scope: must be "all" or {"sandboxes": ["…"]} with at most 64 ids',
    ]);
  });

  test('C-3 names one of the runtimes that there may be', async () => {
    const create = vi.spyOn(there.backend, 'create');
    const post = (runtime: string) => ({ method: 'POST', json: { runtime } });
    expect((await there.request('/v1/sandboxes', post('shell'))).status).toBe(201);
    expect(create.mock.calls.map(([{ runtime }]) => runtime)).toEqual(['shell']);
    const [status, message] = await refusal('/v1/sandboxes', post('teapot'));
    expect([status, message]).toEqual([
      400,
      expect.stringMatching(/^Cannot use the body: runtime: .*"shell"/),
    ]);
  });

  test('is refused in a query too, also where a route takes none', async () => {
    expect(await refusal('/v1/sandboxes?limits=1')).toEqual([
      400,
      'Cannot use the query: there is no parameter "limits"; did you mean "limit"?',
    ]);
    expect(await refusal(`${home}?verbose=1`)).toEqual([
      400,
      'Cannot use the query: there is no parameter "verbose"; there are none',
    ]);
    expect((await there.request('/health?once=1')).status).toBe(200);
  });

  test('is found by how it is spelled', () => {
    const known = ['memoryMiB', 'diskMiB', 'timeoutMs', 'cpus', 'cpuShares'];
    expect(
      ['memory', 'timeout', 'diskMb', 'cpu_shares', 'colour'].map((name) => nearestName(name, known)),
    ).toEqual(['memoryMiB', 'timeoutMs', 'diskMiB', 'cpuShares', undefined]);
    expect(nearestName('x'.repeat(1_000_000), known)).toBeUndefined();
  });
});

describe('C-3 a body', () => {
  const headers = { 'content-type': 'application/json' };

  test('that is empty is nothing where it may be left out, and is refused by name where not', async () => {
    expect((await there.request(`${home}/snapshots`, { method: 'POST', headers })).status).toBe(201);
    expect((await there.request('/v1/sandboxes', { method: 'POST', headers })).status).toBe(201);
    const answer = await there.request(`${home}/commands`, { method: 'POST', headers });
    const { error } = await answer.json();
    expect([answer.status, error.message]).toEqual([400, 'Cannot read the body: it is empty']);
    expect(error.remedy).toBe(
      'Send a JSON object, with Content-Type: application/json; /docs says what is in it.',
    );
    expect(error.details).toEqual({});
  });

  test('that is not JSON is said to be not JSON', async () => {
    const body = '{"command": ';
    expect(await refusal(`${home}/commands`, { method: 'POST', headers, body })).toEqual([
      400,
      'Cannot read the body: it is not JSON',
    ]);
  });
});

describe('O-6 /events?type=', () => {
  test('sends only events of the types that are asked for', async () => {
    await there.request(`${home}/start`, { method: 'POST' });
    const sandbox = there.backend.sandbox('box-1');
    sandbox.emit({ type: 'history' });
    sandbox.emit({ type: 'ready' });
    sandbox.emit({ type: 'history' });
    sandbox.emit({ type: 'capture-resumed' });
    const events = readSse(await there.request(`${home}/events?type=ready,capture-resumed`));
    const got = [await events.next(), await events.next()];
    expect(got).toMatchObject([
      { event: 'ready', data: { seq: 2 } },
      { event: 'capture-resumed', data: { seq: 4 } },
    ]);
    await events.cancel();
    const again = readSse(await there.request(`${home}/events?type=ready&type=capture-resumed`));
    expect(await again.next()).toEqual(got[0]);
    await again.cancel();
  });

  test('refuses a type that there is not', async () => {
    expect(await refusal(`${home}/events?type=ready,process`)).toEqual([
      400,
      expect.stringMatching(
        /^Cannot use the query: type: there is no event of type "process"; there are .*snapshot/,
      ),
    ]);
  });
});
