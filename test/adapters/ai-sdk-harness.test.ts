import { HarnessAgent } from '@ai-sdk/harness/agent';
import { afterEach, expect, test, vi } from 'vitest';
import { Sandbox } from '../../cli/index.ts';
import { mockHarness } from '../../examples/agents/mock-harness.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { createHarnessProvider } from '../../sdk/adapters/ai-sdk-harness.ts';

type SetUp = NonNullable<
  NonNullable<Parameters<ReturnType<typeof createHarnessProvider>['createSession']>[0]>['onFirstCreate']
>;

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const { id } of await Sandbox.list()) await Sandbox.delete(id);
});

test('S-13 a harness sets itself up once; its sessions start from that, apart from each other', async () => {
  const agent = new HarnessAgent({ harness: mockHarness(), sandbox: createHarnessProvider() });
  const [one, two] = await Promise.all([agent.createSession(), agent.createSession()]);
  const { text } = await agent.generate({
    session: one,
    prompt: 'cat ~/.mock/log ~/.mock/agent; pwd > ~/mine; basename "$PWD"',
  });
  expect(text).toBe(`set\nv1mock-${one.sessionId}\n0`);
  expect((await agent.generate({ session: two, prompt: 'cat ~/.mock/log; ls ~' })).text).not.toContain(
    'mine',
  );
  // The template, and the two of the sessions.
  expect(await Sandbox.list()).toHaveLength(3);
  await one.destroy();
  await two.destroy();
  expect(await Sandbox.list()).toHaveLength(1);
});

test('S-13 a session that was stopped goes on in its sandbox, by its id alone', async () => {
  const agent = new HarnessAgent({ harness: mockHarness(), sandbox: createHarnessProvider() });
  const session = await agent.createSession({ sessionId: 'mine' });
  await agent.generate({ session, prompt: 'echo kept > file' });
  const resumeFrom = await session.stop();
  // As another process would.
  const other = new HarnessAgent({ harness: mockHarness(), sandbox: createHarnessProvider() });
  const again = await other.createSession({ sessionId: 'mine', resumeFrom });
  expect((await other.generate({ session: again, prompt: 'cat file' })).text).toBe('kept\n0');
  await again.destroy();
});

test('S-13 a fork of the sandbox of a session is not the session', async () => {
  const provider = createHarnessProvider();
  const session = await provider.createSession({ sessionId: 'mine' });
  const sandbox = await Sandbox.open(session.id ?? '');
  const [fork] = await sandbox.fork();
  if (!(fork instanceof Sandbox)) throw fork ?? new Error('There is no fork');
  await Promise.all([session.stop(), fork.close(), sandbox.close()]);
  const again = await provider.resumeSession?.({ sessionId: 'mine' });
  expect(again?.id).toBe(session.id);
  await again?.destroy?.();
  await expect(provider.resumeSession?.({ sessionId: 'mine' })).rejects.toMatchObject({ code: 'not-found' });
});

test('S-13 a harness that cannot be set up leaves no sandbox behind', async () => {
  const agent = new HarnessAgent({
    harness: mockHarness({ setUp: 'exit 7' }),
    sandbox: createHarnessProvider(),
  });
  await expect(agent.createSession()).rejects.toThrow('7');
  expect(await Sandbox.list()).toEqual([]);
});

test('S-13 a port is reached where the provider says, and refused where it says nothing', async () => {
  const session = await createHarnessProvider({
    ports: [3000],
    portUrl: (port, { id }, protocol) => `${protocol}://${id}.example/${port}`,
  }).createSession();
  expect(session.ports).toEqual([3000]);
  expect(await session.getPortEndpoint({ port: 3000, protocol: 'ws' })).toEqual({
    url: `ws://${session.id}.example/3000`,
  });
  await session.destroy();
  const silent = await createHarnessProvider().createSession();
  await expect(silent.getPortEndpoint({ port: 1 })).rejects.toMatchObject({
    code: 'unsupported',
    details: { feature: 'portUrl' },
  });
  expect(silent.restricted()).not.toHaveProperty('destroy');
  await silent.stop();
  await silent.stop();
  // Without an id it cannot be resumed, and nothing of it stays.
  expect(await Sandbox.list()).toEqual([]);
  await silent.destroy();
});

test('S-13 an aborted session does not end the set-up that others wait for', async () => {
  const provider = createHarnessProvider();
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const stop = new AbortController();
  const onFirstCreate: SetUp = async (session) => {
    begun.resolve();
    await goOn.promise;
    await session.writeTextFile({ path: 'made', content: 'once' });
  };
  const first = provider.createSession({ identity: 'a', onFirstCreate, abortSignal: stop.signal });
  await begun.promise;
  const second = provider.createSession({
    identity: 'a',
    onFirstCreate: () => Promise.reject(new Error('twice')),
  });
  stop.abort();
  await expect(first).rejects.toMatchObject({ code: 'aborted' });
  goOn.resolve();
  expect(await (await second).readTextFile({ path: 'made' })).toBe('once');
  // Only the template is labelled as one.
  const labels = (await Sandbox.list()).map(({ metadata = {} }) => Object.keys(metadata));
  expect(labels.sort()).toEqual([[], ['ai-sdk-template']]);
  await (await second).stop();
});

test('S-13 a set-up ends when all sessions that wait for it are aborted', async () => {
  const provider = createHarnessProvider();
  const stop = new AbortController();
  const onFirstCreate: SetUp = async (session, { abortSignal }) => {
    stop.abort();
    await session.run({ command: 'sleep 600', ...(abortSignal ? { abortSignal } : {}) });
  };
  const session = provider.createSession({ identity: 'a', onFirstCreate, abortSignal: stop.signal });
  await expect(session).rejects.toMatchObject({ code: 'aborted' });
  await expect.poll(() => Sandbox.list()).toEqual([]);
});

test('S-13 a template is used while it is open elsewhere, and by sessions with its settings only', async () => {
  expect(await sessionFile('one')).toBe('one');
  vi.spyOn(Sandbox, 'open').mockRejectedValue(new SandboxError('busy', 'Another tab has it open'));
  expect(await sessionFile('two')).toBe('one');
  expect(await sessionFile('two', { memoryMiB: 256 })).toBe('two');
  // The two templates: sessions without an id are gone.
  expect(await Sandbox.list()).toHaveLength(2);
});

test('S-13 a template whose maker has died is not used, and deleted in the end', async () => {
  await sessionFile('one');
  const [template] = await Sandbox.list();
  await Sandbox.delete(template?.id ?? '');
  const abandoned = await Sandbox.create({ metadata: template?.metadata ?? {} });
  await abandoned.close();
  expect(await sessionFile('two')).toBe('two');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + limits.harnessSetUpMs + 1 });
  expect(await sessionFile('three')).toBe('two');
  const ids = (await Sandbox.list()).map(({ id }) => id);
  expect(ids).toHaveLength(1);
  expect(ids).not.toContain(abandoned.id);
});

/** What a session of a new provider has that was set up with `content`. */
async function sessionFile(content: string, create: { memoryMiB?: number } = {}): Promise<string | null> {
  const session = await createHarnessProvider({ create }).createSession({
    identity: 'a',
    onFirstCreate: async ({ writeTextFile }) => writeTextFile({ path: 'made', content }),
  });
  const made = await session.readTextFile({ path: 'made' });
  await session.stop();
  return made;
}
