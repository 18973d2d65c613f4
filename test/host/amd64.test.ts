import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningBridge } from '../../bridge-server/main/run-bridge.ts';
import { whatProgramsLack } from '../../bridge-server/runtimes/jail/probe-programs.ts';
import { HostImages } from '../../bridge-server/sandboxes/host-images.ts';
import { placeImage } from '../../host/images/place-image.ts';
import { assertRunsInTab } from '../../protocol/architecture.ts';
import { defaultImage } from '../../protocol/sandbox/backend.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import { connect } from '../../sdk/connect.ts';
import type { PtyHandle } from '../../sdk/pty.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { assessTrouble } from '../../web/elements/move/assess-trouble.ts';
import { carryHome } from '../../web/elements/move/carry-home.ts';
import { builtImage } from '../fixtures/built-image.ts';
import { MemoryImageHost } from '../fixtures/memory-host.ts';
import { inLongRun } from '../runs-long.ts';
import { makeTestFolder, runTestBridge, type TestFolder } from './open-test-host.ts';
import { i386Lack } from './runnable-image.ts';
import { whatImageLacks } from './what-image-lacks.ts';
import { whatJailsLack } from './what-jails-lack.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

const image = 'debian-amd64';
/** The first time it downloads 134 MB and builds for 50 s, on a machine that is not busy. */
const buildTimeoutMs = 400_000;

let files: TestFolder;
let bridge: RunningBridge;
let token: string;

const lack =
  (await whatJailsLack()) ??
  (await whatProgramsLack('amd64', { folder: tmpdir() })) ??
  (await whatImageLacks(image));

describe.skipIf(lack)(`an image for amd64${lack ? ` (not here: ${lack})` : ''}`, () => {
  beforeAll(async () => {
    files = await makeTestFolder();
    const built = await builtImage(image);
    await placeImage(built, { to: join(files.options.folder, 'images'), isDefault: false });
    bridge = await runTestBridge(files.options);
    await bridge.host.prepare(image);
    token = bridge.host.tokens.create({ name: 'test', scope: 'all' }).token;
  }, buildTimeoutMs);
  afterAll(async () => {
    await bridge?.[Symbol.asyncDispose]();
    await files?.[Symbol.asyncDispose]();
  });

  const runs: [string, string, string][] = [
    ['is what the kernel says', 'uname -m', 'x86_64\n'],
    ['has ELF files of 64 bits', 'head -c 5 /bin/bash | od -An -tx1', ' 7f 45 4c 46 02\n'],
    ['python', "python3 -c 'import sys; print(sys.maxsize == 2**63 - 1)'", 'True\n'],
    [
      'python, compiled ahead',
      'ls /usr/lib/python3.11/__pycache__/os.cpython-311.pyc',
      '/usr/lib/python3.11/__pycache__/os.cpython-311.pyc\n',
    ],
    ['node', "node -e 'console.log(process.arch, 6 * 7)'", 'x64 42\n'],
    ['gcc, as cc', 'cd ~ && cc -O2 -o a a.c && ./a', '8\n'],
    ['gcc, with its sanitizers', 'cd ~ && gcc -fsanitize=undefined -o b a.c && ./b', '8\n'],
    ['tcc', 'cd ~ && tcc -run a.c', '8\n'],
    ['make', 'cd ~ && rm -f a && make -s a && ./a', '8\n'],
    [
      'git',
      'cd ~ && git init -q r && cd r && echo 1 > f && git add f && git -c user.name=u -c user.email=u@e commit -qm first && git log --format=%s',
      'first\n',
    ],
    [
      'the linker finds libraries by its cache',
      '/sbin/ldconfig -p | grep -c "libc.so.6 (libc6,x86-64) => /usr/lib/x86_64"',
      '1\n',
    ],
    [
      'names of services and protocols',
      'python3 -c \'import socket; print(socket.getservbyname("https"), socket.getprotobyname("udp"))\'',
      '443 17\n',
    ],
    ['dpkg', 'dpkg --print-architecture; dpkg -S /usr/bin/node | cut -d: -f1', 'amd64\nnodejs\n'],
  ];

  /** Of files that are there: a test needs no registry. What is printed, by whom it is run. */
  const installs: [what: string, command: string, output: string, user: 'root' | 'user'][] = [
    ['the packages of the image are whole', 'apt-get check -qq', '', 'root'],
    ['dpkg misses nothing of them', 'dpkg --audit && dpkg --verify', '', 'root'],
    [
      'a package is made',
      `mkdir -p /tmp/p/DEBIAN /tmp/p/usr/bin && cd /tmp/p
printf '%s\n' 'Package: hello-there' 'Version: 1' 'Architecture: all' 'Maintainer: t <t@example.org>' \
  'Depends: python3, adduser' 'Description: says hello' > DEBIAN/control
printf '#!/bin/sh\nadduser --system --quiet hello\n' > DEBIAN/postinst
printf '#!/bin/sh\necho hello there\n' > usr/bin/hello-there
chmod 755 DEBIAN/postinst usr/bin/hello-there && dpkg-deb --build . ../hello.deb > /dev/null`,
      '',
      'root',
    ],
    [
      'apt-get',
      'apt-get install -qq -y /tmp/hello.deb > /tmp/log 2>&1 || cat /tmp/log; hello-there; id -un hello; dpkg -s hello-there | grep Status',
      'hello there\nhello\nStatus: install ok installed\n',
      'root',
    ],
    [
      'pip',
      `mkdir ~/hi && cd ~/hi && echo 'answer = 42' > hi.py
echo 'from setuptools import setup; setup(name="hi", version="1", py_modules=["hi"])' > setup.py
pip install --quiet --no-index --no-build-isolation . && cd / && python3 -c 'import hi; print(hi.answer)'`,
      '42\n',
      'user',
    ],
    ['pip in a venv', 'python3 -m venv ~/env && ~/env/bin/pip --version | cut -d" " -f1', 'pip\n', 'user'],
    [
      'npm',
      `mkdir -p ~/m/one ~/m/two && cd ~/m/one && npm init --yes > /dev/null && echo 'module.exports = 42' > index.js
cd ../two && npm install --silent --offline ../one && node -e 'console.log(require("one"))'`,
      '42\n',
      'user',
    ],
  ];

  test('O-11 runs 64-bit programs in a jail: Python, Node.js, C, git', async () => {
    await using backend = await connect({ url: bridge.url, token });
    await using sandbox = await Sandbox.create({ backend, image });
    expect(sandbox.info).toMatchObject({ image, architecture: 'amd64', runtime: 'jail' });
    await sandbox.files.write(
      '/home/user/a.c',
      '#include <stdio.h>\nint main(void) { return printf("%zu\\n", sizeof(void *)) < 0; }\n',
    );
    const outputs: [string, string][] = [];
    for (const [what, command] of runs) {
      const { stdout, stderr } = await sandbox.run(command);
      outputs.push([what, stdout + stderr]);
    }
    expect(outputs).toEqual(runs.map(([what, , output]) => [what, output]));
  });

  longTest(
    'O-11 installs packages of its own: apt-get, pip, pip in a venv, npm',
    async () => {
      await using backend = await connect({ url: bridge.url, token });
      await using sandbox = await Sandbox.create({ backend, image });
      const outputs: [string, string][] = [];
      for (const [what, command, , user] of installs) {
        const { stdout, stderr } = await sandbox.run(command, { user, timeoutMs: 120_000 });
        outputs.push([what, stdout + stderr]);
      }
      expect(outputs).toEqual(installs.map(([what, , output]) => [what, output]));
    },
    400_000,
  );

  longTest(
    'O-7 O-8 R-5 is asked for over REST, and is snapshotted, gone back to and forked as others are',
    async () => {
      const made = await fetch(`${bridge.url}/v1/sandboxes`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ image }),
      });
      const view = (await made.json()) as { id: string };
      expect([made.status, view]).toEqual([201, expect.objectContaining({ image, architecture: 'amd64' })]);
      await using backend = await connect({ url: bridge.url, token });
      await using sandbox = await Sandbox.open(view.id, { backend });
      await sandbox.run('cd ~ && echo "int main(void) { return sizeof(long); }" > a.c && cc -o a a.c');
      const built = await sandbox.createSnapshot({ label: 'built' });
      await sandbox.run('rm -rf /usr/lib ~/a', { user: 'root' });
      await sandbox.checkout(built.id);
      expect((await sandbox.run('~/a; echo $?')).stdout).toBe('8\n');
      const [fork] = await sandbox.fork({ from: built.id });
      if (!(fork instanceof Sandbox)) throw fork ?? new Error('Nothing was forked');
      expect(fork.info.architecture).toBe('amd64');
      expect((await fork.run('~/a; echo $?; cc -o ~/b ~/a.c && ~/b; echo $?')).stdout).toBe('8\n8\n');
      await fork.close();
    },
  );

  test.skipIf(i386Lack)(
    `B-8 H-10 the image of the tab runs static 64-bit programs only, and no tab takes this one in${i386Lack ? ` (not here: ${i386Lack})` : ''}`,
    async () => {
      await using backend = await connect({ url: bridge.url, token });
      await using wide = await Sandbox.create({ backend, image });
      await using usual = await Sandbox.create({ backend });
      expect(usual.info.architecture).toBe('i386');
      await wide.run(
        'cd ~ && echo "int main(void) { return sizeof(long); }" > a.c && cc -o linked a.c && cc -static -o static a.c',
      );
      for (const name of ['linked', 'static']) {
        const program = await wide.files.read(`/home/user/${name}`, { format: 'bytes' });
        await usual.files.write(`/home/user/${name}`, program, { mode: 0o755 });
      }
      const ends = await usual.run('cd ~; ./linked 2> /dev/null; echo $?; ./static; echo $?');
      expect(ends.stdout).toBe('127\n8\n');
      // As a tab asks, whose kernel executes neither.
      const { pid: shellPid } = await openShell(usual);
      let images = (await bridge.host.backend.images?.()) ?? [];
      expect(images.map(({ name, isDefault }) => [name, isDefault])).toEqual([
        ['debian', true],
        [image, false],
      ]);
      const host = {
        name: 'a host',
        url: 'http://127.0.0.1:7070',
        connect: async () => bridge.host.backend,
        images: async () => images,
      };
      const assess = (command: string) =>
        assessTrouble(usual.connection, { trouble: { command, exitCode: 126 }, host, shellPid });
      const is64Bit = 'it is a program for 64-bit processors, and this tab has 32 bits';
      expect(await assess('./static')).toEqual({ reasons: [is64Bit], image: undefined });
      expect(await assess('./linked')).toEqual({
        reasons: [is64Bit, 'it is linked with 64-bit libraries, which the image of this tab has not'],
        image,
      });
      images = images.filter(({ architecture }) => architecture === 'i386');
      expect(await assess('./linked')).toBeUndefined();

      const place = new MemoryImageHost(
        await new HostImages(join(files.options.folder, 'images')).load({ name: defaultImage }),
      );
      place.driver.images.assertRuns = async (architecture) => assertRunsInTab(architecture);
      await expect(wide.copyTo(new LocalBackend(place))).rejects.toMatchObject({
        code: 'unsupported',
        details: { feature: 'amd64' },
      });
      const { id } = await wide.createSnapshot();
      const [first] = (await wide.history.log()).slice(-1);
      if (!first) throw new Error('There is no first snapshot');
      const changed = (await wide.diff(first.id, id)).map(({ path }) => path);
      expect(changed).toEqual(expect.arrayContaining(['/home/user/linked', '/home/user/static']));
    },
  );

  test('H-8 files of a home that are on their way to a sandbox of another image, and are given up, leave none', async () => {
    await using backend = await connect({ url: bridge.url, token });
    const origin = await Sandbox.create({ backend });
    await origin.run(
      'mkdir "a b" && ln -s "a b" link && head -c 3000000 /dev/urandom > "a b/noise" && chmod 400 "a b/noise"',
    );
    const { id: snapshot } = await origin.createSnapshot();
    const before = await backend.list();
    const abort = new AbortController();
    const parts = { snapshot, backend, image, signal: abort.signal };
    const given = carryHome(origin.connection, { ...parts, onProgress: () => abort.abort() });
    await expect(given).rejects.toMatchObject({ code: 'aborted' });
    expect(await backend.list()).toEqual(before);

    let movedBytes = 0;
    const onProgress = (bytes: number) => {
      movedBytes = bytes;
    };
    const { signal } = new AbortController();
    const made = await carryHome(origin.connection, { ...parts, onProgress, signal });
    expect(movedBytes).toBeGreaterThan(3_000_000);
    const copy = await Sandbox.open(made.id, { backend });
    const look = 'sha256sum link/noise; stat -c %a:%U:%F link "a b/noise"';
    expect((await copy.run(look)).stdout).toBe((await origin.run(look)).stdout);
    expect((await copy.run('uname -m')).stdout).toBe('x86_64\n');
    await Promise.all([origin.close(), copy.close()]);
  });
});

/** A shell at its prompt. */
async function openShell(sandbox: Sandbox): Promise<PtyHandle> {
  const ready = Promise.withResolvers<void>();
  let shown = '';
  const handle = await sandbox.pty.create({
    columns: 80,
    rows: 24,
    onData: (bytes) => {
      shown += new TextDecoder().decode(bytes);
      if (shown.includes('$ ')) ready.resolve();
    },
  });
  await ready.promise;
  return handle;
}

const notRoot = process.geteuid?.() === 0 ? '' : ' (not here: only root may mount)';

test.skipIf(notRoot)(`H-10 a host says why programs do not run, by running one${notRoot}`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-noexec-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'noexec,size=1m', 'tmpfs', folder]);
  try {
    expect(await whatProgramsLack('amd64', { folder })).toMatch(/^a program for amd64 did not run: .*EACCES/);
  } finally {
    execFileSync('umount', [folder]);
    await rm(folder, { recursive: true });
  }
});
