import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningBridge } from '../../bridge-server/main/run-bridge.ts';
import type { TokenScope } from '../../protocol/api-token.ts';
import { connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { makeTestFolder, runTestBridge, type TestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

let files: TestFolder;
let bridge: RunningBridge;

const start = () => runTestBridge(files.options);

const newToken = (scope: TokenScope = 'all') => bridge.host.tokens.create({ name: 'test', scope }).token;

const lack = await whatJailsLack();

describe.skipIf(lack)(`a bridge${lack ? ` (not here: ${lack})` : ''}`, () => {
  beforeAll(async () => {
    files = await makeTestFolder();
    bridge = await start();
  });
  afterAll(async () => {
    await bridge?.[Symbol.asyncDispose]();
    await files?.[Symbol.asyncDispose]();
  });

  test('B-8 C-2 the SDK works on a host as it does in a tab: commands, files, history', async () => {
    await using backend = await connect({ url: bridge.url, token: newToken() });
    const sandbox = await Sandbox.create({ backend, name: 'over the wire' });
    const built = await sandbox.run(
      'cd ~ && echo "int main(){return 7;}" > a.c && tcc -o a a.c && ./a; echo $?',
    );
    expect(built).toMatchObject({ stdout: '7\n', exitCode: 0 });
    const before = await sandbox.createSnapshot({ label: 'built' });
    await sandbox.run('rm -rf /usr/lib ~/a', { user: 'root' });
    await sandbox.checkout(before.id);
    expect((await sandbox.run('~/a; echo $?')).stdout).toBe('7\n');
    expect(await sandbox.files.read('/home/user/a.c')).toContain('int main');
    const [fork] = await sandbox.fork({ from: before.id });
    if (!(fork instanceof Sandbox)) throw fork ?? new Error('Nothing was forked');
    expect((await fork.run('~/a; echo $?')).stdout).toBe('7\n');
    await fork.close();
    await sandbox.close();
  });

  test('H-4 a bridge that was started again has every sandbox at its last snapshot', async () => {
    const { id, head } = await withSandbox(async (sandbox) => {
      await sandbox.run('echo kept > ~/note');
      const { id: head } = await sandbox.createSnapshot();
      return { id: sandbox.id, head };
    });
    await bridge[Symbol.asyncDispose]();
    bridge = await start();
    await using backend = await connect({ url: bridge.url, token: newToken() });
    const sandbox = await Sandbox.open(id, { backend });
    expect(await sandbox.history.head()).toBe(head);
    expect((await sandbox.run('cat ~/note')).stdout).toBe('kept\n');
    await sandbox.close();
  });

  test('a command that is killed for lack of memory says so, in a shell or without one', async () => {
    const needy = ['perl', '-e', 'my $x = "x" x (400 << 20); print length $x'];
    const little = { memoryMiB: 128 };
    await withSandbox(async ({ commands }) => {
      const killed = await commands.run(needy);
      expect(killed).toMatchObject({ exitCode: 137, signal: 'SIGKILL', reason: 'out-of-memory' });
      const inShell = await commands.run(`perl -e '${needy[2]}'; exit $?`);
      expect(inShell).toMatchObject({ exitCode: 137, reason: 'out-of-memory' });
      expect(await commands.run('kill -9 $$')).toMatchObject({ signal: 'SIGKILL', reason: 'signalled' });
    }, little);
  });

  test('B-5 B-8 shells are beside jails: what git reaches is public, and the two are compared', async () => {
    await using backend = await connect({ url: bridge.url, token: newToken() });
    await using shell = await Sandbox.create({ backend, runtime: 'shell' });
    expect((await shell.run('echo made > ~/note; whoami')).stdout).toBe('user\n');
    const { id } = await shell.createSnapshot();
    const refused = shell.git.clone({ url: 'http://127.0.0.1:9/x', directory: '/home/user/x' });
    await expect(refused).rejects.toMatchObject({ code: 'forbidden' });
    await using jail = await Sandbox.create({ backend });
    const changes = await jail.diff('now', { sandbox: shell.id, snapshot: id });
    expect(changes).toContainEqual(expect.objectContaining({ path: '/home/user/note' }));
    const runtimes = (await Sandbox.list({ backend })).map(({ runtime }) => runtime);
    expect(runtimes).toEqual(expect.arrayContaining(['shell', 'jail']));
  });

  test('a token for one sandbox opens that one, and knows of no other', async () => {
    const first = await withSandbox(async (sandbox) => sandbox.id);
    const second = await withSandbox(async (sandbox) => sandbox.id);
    await using backend = await connect({ url: bridge.url, token: newToken({ sandboxes: [first] }) });
    expect((await backend.list()).map(({ id }) => id)).toEqual([first]);
    await expect(Sandbox.open(second, { backend })).rejects.toMatchObject({ code: 'not-found' });
    await expect(Sandbox.create({ backend })).rejects.toMatchObject({ code: 'forbidden' });
    const sandbox = await Sandbox.open(first, { backend });
    expect(await sandbox.fork()).toMatchObject([{ code: 'forbidden' }]);
    await sandbox.close();
  });

  test('without a token nobody gets in', async () => {
    const wrong = newToken().replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    await expect(connect({ url: bridge.url, token: wrong })).rejects.toMatchObject({
      code: 'connection-lost',
    });
  });
});

async function withSandbox<T>(
  use: (sandbox: Sandbox) => Promise<T>,
  options: { memoryMiB?: number } = {},
): Promise<T> {
  await using backend = await connect({ url: bridge.url, token: newToken() });
  const sandbox = await Sandbox.create({ ...options, backend });
  try {
    return await use(sandbox);
  } finally {
    await sandbox.close();
  }
}
