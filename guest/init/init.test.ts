import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { InitClient } from '../../protocol/init/init-client.ts';
import { Agent, buildInit, run, start } from './test/agent.ts';

let build: ReturnType<typeof buildInit>;
let agent: Agent;
let client: InitClient;

beforeAll(() => {
  build = buildInit();
}, 120_000);
afterAll(() => build.remove());

beforeEach(async () => {
  agent = new Agent(build.init);
  client = agent.connect();
  await client.hello();
});
afterEach(async () => {
  const code = await agent.stop();
  expect({ code, stderr: agent.stderr }).toEqual({ code: 0, stderr: '' });
});

describe('a process', () => {
  test('has separate output and errors, an exit code, and times', async () => {
    const { stdout, stderr, exit } = await run(client, 'echo out; echo err >&2; exit 3');
    expect({ stdout, stderr }).toEqual({ stdout: 'out\n', stderr: 'err\n' });
    expect(exit).toMatchObject({ exitCode: 3, signal: undefined, reason: 'exited' });
    expect(exit.durationMs).toBeGreaterThan(0);
    expect(exit.maxRssBytes).toBeGreaterThan(100_000);
  });
});
