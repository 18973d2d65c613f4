import { HarnessAgent } from '@ai-sdk/harness/agent';
import { afterEach, expect, test } from 'vitest';
import { Sandbox } from '../../cli/index.ts';
import { mockHarness } from '../../examples/agents/mock-harness.ts';
import { createHarnessProvider } from '../../sdk/adapters/ai-sdk-harness.ts';

afterEach(async () => {
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
  await silent.destroy();
});
