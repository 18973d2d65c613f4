import { expect, test, vi } from 'vitest';
import { examineRuntimes } from '../../bridge-server/main/host-runtimes.ts';
import { hostResources } from '../../bridge-server/sandboxes/host-resources.ts';
import { runtimeOption } from '../../cli/options/runtime-option.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { runtimeTable } from '../../scripts/runtime-table.ts';
import { chooseRuntime, type RuntimeNeeds } from '../../sdk/routing/choose-runtime.ts';
import { namePlaces, offerOf } from '../../sdk/routing/place-offer.ts';
import { choiceLike, listChoices } from '../../web/elements/model/sandbox-choices.ts';
import { fakeName, fakeRuntime } from '../fixtures/fake-runtime/fake-runtime.ts';
import { MemoryHost } from '../fixtures/memory-host.ts';
import { openTestBridge } from '../http/test-bridge.ts';

vi.mock('../../protocol/runtimes.ts', async (original) => {
  const actual = await original<typeof import('../../protocol/runtimes.ts')>();
  const { fakeDescription } = await import('../fixtures/fake-runtime/description.ts');
  return { ...actual, runtimes: { ...actual.runtimes, fake: fakeDescription } };
});

// A runtime is a folder and a row: nothing else names this one.
const newBackend = () => new LocalBackend(new MemoryHost(fakeRuntime.driver({ resources: hostResources() })));

test('S-1 the page offers it on each host that is known, and says on which', () => {
  expect(listChoices([]).map(({ title, place }) => `${title} ${place}`)).toContain('Abacus on a host');
  const bridge = { url: 'https://one', token: 'cpc_token' };
  const host = { name: 'one', bridge, images: [], problem: undefined };
  const choice = listChoices([host]).find(({ title }) => title === 'Abacus');
  expect(choice).toMatchObject({
    place: 'on one',
    can: 'It counts.',
    costs: 'It counts slowly.',
    unavailable: undefined,
    action: { type: 'new-sandbox', bridge: 'https://one', runtime: 'fake' },
  });
  expect(choiceLike({ runtime: fakeName }, bridge.url)).toBe(choice?.key);
  const keys = listChoices([host]).map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
});

test('O-8 REST makes a sandbox of it, tells of it, and has it in the document', async () => {
  await using served = await openTestBridge({ backend: newBackend() });
  const made = await served.request('/v1/sandboxes', { method: 'POST', json: { runtime: 'fake' } });
  const { id } = await made.json();
  expect(made.status).toBe(201);
  expect(await (await served.request(`/v1/sandboxes/${id}`)).json()).toMatchObject({ runtime: 'fake' });
  const document = await (await served.request('/openapi.json')).text();
  expect(document).toContain('"folder","fake","vm"');
});

test('R-4 the command line has it among what it can be asked for', () => {
  expect(runtimeOption('what runs it').argChoices).toEqual(['auto', 'shell', 'jail', 'fake']);
});

test('R-11 a doctor says what of it works', async () => {
  const doctor = () => examineRuntimes('/', [fakeRuntime]);
  await using served = await openTestBridge({ backend: newBackend(), doctor });
  expect(await (await served.request('/v1/doctor')).json()).toEqual({
    items: [{ name: 'abacuses', state: 'ok', why: 'one has counted to ten' }],
  });
});

test('B-8 the router knows what a place that it runs has', () => {
  const backend = newBackend();
  const places = namePlaces([
    { backend, runtime: 'shell' },
    { backend, runtime: fakeName },
  ]).map((place) => offerOf(place));
  const chosen = (needs: RuntimeNeeds) => chooseRuntime(needs, places).offer?.name;
  const most = { memoryMiB: 12_345, diskMiB: 67_890, is64Bit: true, network: true };
  expect(chosen({})).toBe('shell');
  expect(chosen(most)).toBe('fake');
  expect(chosen({ ...most, memoryMiB: 12_346 })).toBeUndefined();
  expect(chosen({ ...most, terminal: true })).toBeUndefined();
});

test('the support table has its row', () => {
  expect(runtimeTable()).toContain(
    '| `fake` | a host | It counts. | It counts slowly. | yes | yes | yes | no | no | 12,345 and 67,890 MiB |',
  );
});
