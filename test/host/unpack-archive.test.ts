import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningBridge } from '../../bridge-server/main/run-bridge.ts';
import { connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { hostileTars, tarOf } from '../fixtures/hostile-tars.ts';
import { leastDiskMiB } from './least-disk.ts';
import { makeTestFolder, runTestBridge, type TestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();
let files: TestFolder;
let bridge: RunningBridge;
let backend: Awaited<ReturnType<typeof connect>>;
let sandbox: Sandbox;
let token: string;

describe.skipIf(lack)(`S-10 a tar upload${lack ? ` (not here: ${lack})` : ''}`, () => {
  beforeAll(async () => {
    files = await makeTestFolder();
    bridge = await runTestBridge(files.options);
    token = bridge.host.tokens.create({ name: 'test', scope: 'all' }).token;
    backend = await connect({ url: bridge.url, token });
    sandbox = await Sandbox.create({ backend, diskMiB: (await leastDiskMiB(backend)) + 64 });
  });
  afterAll(async () => {
    await sandbox?.close();
    await backend?.[Symbol.asyncDispose]();
    await bridge?.[Symbol.asyncDispose]();
    await files?.[Symbol.asyncDispose]();
  });

  const upload = (path: string, body: BodyInit | null, options: RequestInit = {}) =>
    fetch(`${bridge.url}/v1/sandboxes/${sandbox.id}/archive?path=${encodeURIComponent(path)}`, {
      method: 'PUT',
      body,
      headers: { authorization: `Bearer ${token}` },
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
      ...options,
    });
  const says = async (command: string) => (await sandbox.run(command, { user: 'root' })).stdout.trim();
  const noTraces = 'ls -d /out /etc/out /home/out ~user/.coppice-* 2>/dev/null; true';

  test('unpacks what GNU tar makes, as it comes, for whom the directory belongs to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coppice-tar-'));
    await mkdir(join(folder, 'src/deep'), { recursive: true });
    await writeFile(join(folder, 'src/deep/größe'), 'x'.repeat(3_000_000), { mode: 0o640 });
    await writeFile(join(folder, 'src/run'), '#!/bin/sh\necho ran\n', { mode: 0o755 });
    await symlink('deep/größe', join(folder, 'src/link'));
    const tar = spawn('tar', ['-cz', '-C', folder, 'src'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const answer = await upload(
      '/home/user',
      tar.stdout as unknown as ReadableStream,
      { duplex: 'half' } as RequestInit,
    );
    expect([answer.status, await answer.json()]).toEqual([200, { entries: 5, sizeBytes: 3_000_019 }]);
    if (tar.exitCode === null) await once(tar, 'exit');
    await rm(folder, { recursive: true });
    expect(
      await says('cd ~user; stat -c "%U %a %F %s" src src/deep/größe src/run; readlink src/link; src/run'),
    ).toBe(
      'user 755 directory 4096\nuser 640 regular file 3000000\nuser 755 regular file 19\ndeep/größe\nran',
    );
    const { snapshots } = await sandbox.connection.history.get();
    const { cause, changes } = snapshots.at(-1) ?? {};
    expect(cause).toMatchObject({ type: 'capture', commands: ['unpack an archive into /home/user'] });
    expect(changes?.paths.filter((path) => path.includes('.coppice'))).toEqual([]);
  });

  test.each(hostileTars)(
    'B2 37 38: is refused for %s, and nothing of it stays',
    async (_what, archive, said) => {
      await sandbox.run('rm -rf ~/in; mkdir ~/in');
      const answer = await upload('/home/user/in', new Uint8Array(archive));
      const { error } = await answer.json();
      expect([answer.status, error.code]).toEqual([400, 'invalid-argument']);
      expect(error.message).toMatch(said);
      expect(await says(`${noTraces}; ls -A ~user/in`)).toBe('');
    },
  );

  test('B2 37: goes through no link that is in the directory already, and leaves what is there', async () => {
    await says(
      'cd ~user; rm -rf in; mkdir -m 700 in in/kept; ln -s /etc in/away; ln -s /etc/hostname in/name; echo old > in/kept/file',
    );
    const beneath = await upload('/home/user/in', new Uint8Array(tarOf({ path: 'away/out', content: 'x' })));
    const { error } = await beneath.json();
    expect([beneath.status, error.message]).toEqual([
      400,
      'Cannot unpack the archive into "/home/user/in": something else is in the place of away',
    ]);
    const over = tarOf(
      { path: 'name', content: 'mine' },
      { path: 'kept/new' },
      { path: 'kept/file', content: 'new' },
    );
    expect((await upload('/home/user/in', new Uint8Array(over))).status).toBe(200);
    expect(
      await says(
        'cat ~user/in/name ~user/in/kept/file; echo; stat -c %a ~user/in ~user/in/kept; ls -A ~user/in/kept',
      ),
    ).toBe('minenew\n700\n700\nfile\nnew');
    expect(await says(`${noTraces}; readlink ~user/in/away; cat /etc/hostname`)).not.toContain('mine');
  });

  test('all of it or nothing: what is in the way of one member keeps all others out', async () => {
    await says('cd ~user; rm -rf in; mkdir -p in/busy');
    const archive = tarOf({ path: 'first', content: '1' }, { path: 'busy', content: '2' });
    const answer = await upload('/home/user/in', new Uint8Array(archive));
    expect(answer.status).toBe(400);
    expect(await says('ls -A ~user/in')).toBe('busy');
  });

  test('a directory of any name that both have gets what the archive has in it', async () => {
    await sandbox.run('mkdir -p both/-/-n && echo old > both/-/old');
    const { status } = await upload(
      '/home/user/both',
      Buffer.from(tarOf({ path: '-/-n/new', content: 'x' })),
    );
    expect(status).toBe(200);
    expect(await says('cd ~user/both && find . | sort')).toBe('.\n./-\n./-/-n\n./-/-n/new\n./-/old');
  });

  test('a directory that is not there is told, and so is more than the disk', async () => {
    const missing = await upload('/home/user/nowhere', new Uint8Array(tarOf({ path: 'a' })));
    expect([missing.status, (await missing.json()).error.code]).toEqual([404, 'not-found']);
    const sizeBytes = (sandbox.info.diskMiB + 1) * 2 ** 20;
    const large = await upload('/home/user', new Uint8Array(tarOf({ path: 'a', sizeBytes })));
    expect([large.status, (await large.json()).error.code]).toEqual([413, 'limit-exceeded']);
  });

  test('H-8 one that the client gives up leaves nothing, and the sandbox goes on', async () => {
    await says('rm -rf ~user/in; mkdir ~user/in');
    const giveUp = new AbortController();
    const head = tarOf({ path: 'large', sizeBytes: 50_000_000 }).subarray(0, 512);
    const began = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(head),
      pull: (controller) => {
        controller.enqueue(new Uint8Array(65_536));
        began.resolve();
        return new Promise((resolve) => setImmediate(resolve));
      },
    });
    const answer = upload('/home/user/in', body, { signal: giveUp.signal });
    await began.promise;
    await expect.poll(() => says('ls -A ~user/in')).toMatch(/^\.coppice-/);
    giveUp.abort();
    await expect(answer).rejects.toThrow();
    // The bridge reads what was sent before it learns that there will be no more.
    await expect.poll(() => says('ls -A ~user/in')).toBe('');
  });

  test('H-8 one whose client of the SDK goes away leaves nothing, and no snapshot has half of it', async () => {
    await says('rm -rf ~user/in; mkdir ~user/in');
    const other = await connect({ url: bridge.url, token });
    const theirs = await Sandbox.open(sandbox.id, { backend: other });
    const source = async function* () {
      yield tarOf({ path: 'large', sizeBytes: 50_000_000 }).subarray(0, 512);
      for (;;) {
        yield new Uint8Array(4_096);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const unpacking = theirs.importTar(source(), { path: '/home/user/in' }).catch(({ code }) => code);
    await expect.poll(() => says('ls -A ~user/in')).toMatch(/^\.coppice-/);
    const { files } = await sandbox.run('echo meanwhile > ~/meanwhile');
    expect(files.created).toContain('/home/user/meanwhile');
    await other[Symbol.asyncDispose]();
    expect(await unpacking).toBe('machine-failed');
    await expect.poll(() => says('ls -A ~user/in')).toBe('');
    await sandbox.run('echo after > ~/after');
    const kept = async () => (await sandbox.history.log()).flatMap(({ changes }) => changes.paths);
    await expect.poll(kept).toEqual(expect.arrayContaining(['/home/user/meanwhile', '/home/user/after']));
    expect((await kept()).filter((path) => path.includes('.coppice'))).toEqual([]);
  });

  test('C-2 the SDK unpacks over its connection, and says what there was', async () => {
    await says('rm -rf ~user/in; mkdir ~user/in');
    const source = async function* () {
      yield tarOf({ path: 'a/b', content: 'text' });
    };
    const unpacked = await sandbox.importTar(source(), { path: '/home/user/in' });
    expect(unpacked).toEqual({ entries: 1, sizeBytes: 4 });
    expect(await sandbox.files.read('/home/user/in/a/b')).toBe('text');
    const refused = sandbox.importTar(source(), { path: '/home/user/in', signal: AbortSignal.abort() });
    await expect(refused).rejects.toMatchObject({ code: 'aborted' });
  });

  test('a token for reading uploads nothing', async () => {
    const reader = bridge.host.tokens.create({ name: 'reader', scope: 'all', access: 'read' }).token;
    const answer = await upload('/home/user', new Uint8Array(tarOf({ path: 'a' })), {
      headers: { authorization: `Bearer ${reader}` },
    });
    expect([answer.status, (await answer.json()).error.code]).toEqual([403, 'forbidden']);
  });
});
