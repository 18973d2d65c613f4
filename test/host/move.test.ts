import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningBridge } from '../../bridge-server/main/run-bridge.ts';
import { HostImages } from '../../bridge-server/sandboxes/host-images.ts';
import type { TokenScope } from '../../protocol/api-token.ts';
import { defaultImage } from '../../protocol/sandbox/backend.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { shellAt } from '../../sdk/shell-context.ts';
import { MemoryImageHost } from '../fixtures/memory-host.ts';
import { makeTestFolder, runTestBridge, type TestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

let files: TestFolder;
let bridge: RunningBridge;

const newToken = (scope: TokenScope = 'all') => bridge.host.tokens.create({ name: 'test', scope }).token;

const lack = await whatJailsLack();

describe.skipIf(lack)(`moving from and to a bridge${lack ? ` (not here: ${lack})` : ''}`, () => {
  beforeAll(async () => {
    files = await makeTestFolder();
    bridge = await runTestBridge(files.options);
  });
  afterAll(async () => {
    await bridge?.[Symbol.asyncDispose]();
    await files?.[Symbol.asyncDispose]();
  });

  test('X-1 B-9 a snapshot leaves a bridge and comes back under its id, without the image', async () => {
    const image = await new HostImages(join(files.options.folder, 'images')).load({ name: defaultImage });
    const place = new MemoryImageHost(image);
    const elsewhere = new LocalBackend(place);
    await using backend = await connect({ url: bridge.url, token: newToken() });
    const origin = await Sandbox.create({ backend });
    await origin.run('echo "int main(){return 7;}" > ~/a.c; head -c 2000000 /dev/urandom > ~/noise');
    const { stdout: sum } = await origin.run('cd ~ && sha256sum noise');
    const { id } = await origin.createSnapshot();

    let movedBytes = 0;
    const onProgress = (bytes: number) => {
      movedBytes = bytes;
    };
    const away = await origin.copyTo(elsewhere, { snapshot: id, onProgress });
    expect(await away.history.head()).toBe(id);
    expect(await away.files.read('/home/user/a.c')).toBe('int main(){return 7;}\n');
    expect([movedBytes > 2_000_000, movedBytes < 3_000_000]).toEqual([true, true]);
    await origin.close();
    await Sandbox.delete(origin.id, { backend });

    const back = await away.copyTo(backend, { snapshot: id, name: 'back' });
    expect(await back.history.head()).toBe(id);
    expect((await back.run('cd ~ && tcc -o a a.c && ./a; echo $?; sha256sum noise')).stdout).toBe(
      `7\n${sum}`,
    );
    await back.run('echo more >> ~/a.c');
    const { id: next } = await back.createSnapshot();
    await back.copyInto(away, { snapshot: next, onProgress });
    expect(movedBytes).toBeLessThan(100_000);
    expect(await away.files.read('/home/user/a.c', { at: next })).toContain('more');
    await Promise.all([away.close(), back.close()]);
  });

  test('a token for one sandbox may take it along, and bring nothing in', async () => {
    const image = await new HostImages(join(files.options.folder, 'images')).load({ name: defaultImage });
    const elsewhere = new LocalBackend(new MemoryImageHost(image));
    await using all = await connect({ url: bridge.url, token: newToken() });
    const made = await Sandbox.create({ backend: all });
    await using backend = await connect({ url: bridge.url, token: newToken({ sandboxes: [made.id] }) });
    const mine = await Sandbox.open(made.id, { backend });
    const away = await mine.copyTo(elsewhere);
    await expect(away.copyTo(backend)).rejects.toMatchObject({ code: 'forbidden' });
    await Promise.all([away.close(), mine.close()]);
    await made.close();
  });

  test('B-9 a shell goes on in a copy where it stood, with what it exports, and nothing tells that it was asked', async () => {
    await using backend = await connect({ url: bridge.url, token: newToken() });
    const origin = await Sandbox.create({ backend });
    const near = await openShell(origin);
    await near.type('mkdir "a b" && cd "a b" && export GREETING="from there" && PRIVATE=no');
    const place = await near.handle.place();
    expect(place).toMatchObject({ cwd: '/home/user/a b', envs: { GREETING: 'from there' } });
    expect(Object.keys(place.envs)).not.toContain('PRIVATE');
    // In front of the shell, another program runs.
    await near.handle.sendInput(new TextEncoder().encode('echo up; cat\n'));
    await near.says('up\r\n');
    expect((await near.handle.place()).envs.GREETING).toBe('from there');

    const copy = await origin.copyTo(backend);
    const far = await openShell(copy, shellAt(place));
    await far.type('echo "$PWD: $GREETING"');
    await far.says('/home/user/a b: from there');
    const causes = (await origin.history.log()).map(({ cause }) => cause);
    expect(JSON.stringify(causes)).not.toContain('stty');
    await Promise.all([origin.close(), copy.close()]);
  });
});

/** A shell in a terminal: lines are typed at its prompt. */
async function openShell(sandbox: Sandbox, options: Partial<ReturnType<typeof shellAt>> = {}) {
  let shown = '';
  let onShown = () => {};
  const handle = await sandbox.pty.create({
    ...options,
    columns: 200,
    rows: 50,
    onData: (bytes) => {
      shown += new TextDecoder().decode(bytes);
      onShown();
    },
  });
  const says = async (what: string) => {
    while (!shown.includes(what)) {
      await new Promise<void>((resolve) => {
        onShown = resolve;
      });
    }
  };
  const prompt = '$ ';
  const type = async (line: string) => {
    await says(prompt);
    shown = '';
    await handle.sendInput(new TextEncoder().encode(`${line}\n`));
    await says(prompt);
  };
  return { handle, says, type };
}
