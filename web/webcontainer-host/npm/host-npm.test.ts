import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { shellDriver } from '../../../runtimes/shell/shell-driver.ts';
import { LocalBackend } from '../../../sandbox/backend/local-backend.ts';
import { MemoryHost } from '../../../sandbox/backend/memory-host.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import { type Member, tarOf } from '../../../test/fixtures/hostile-tars.ts';
import { packInstalled, type RegistryPackage } from '../../../test/fixtures/package-registry.ts';
import { serveRegistry } from '../../../test/fixtures/serve-registry.ts';
import { HostNpm } from './host-npm.ts';
import type { PackageCache } from './registry/package-cache.ts';

const folder = '/home/user/project';

interface ProjectOptions {
  readonly registry?: string | undefined;
  readonly cache?: PackageCache;
  readonly fetch?: typeof fetch;
}

/** A project in a sandbox, and npm of its host. */
async function openProject(
  files: Readonly<Record<string, string>>,
  { registry, cache, fetch: ask = fetch }: ProjectOptions = {},
) {
  const quota = async () => ({ usageBytes: 0, quotaBytes: 0, persisted: false });
  const backend = new LocalBackend(new MemoryHost(shellDriver({ quota })));
  const sandbox = await Sandbox.create({ backend, runtime: 'shell' });
  await sandbox.files.makeDirectory(folder);
  for (const [path, text] of Object.entries(files)) await sandbox.files.write(`${folder}/${path}`, text);
  const npm = new HostNpm({
    ...{ sandbox, registry, fetch: ask, openCache: async () => cache },
    platform: { os: 'linux', cpu: 'ia32', libc: 'glibc' },
  });
  const run = async (...argv: string[]): Promise<{ exitCode: number; printed: string }> => {
    const plan = await npm.plan({ argv, cwd: folder, envs: { PATH: '/usr/bin:/bin' } });
    let printed = '';
    if (plan?.type === 'program') {
      const { stdout, stderr, exitCode } = await sandbox.commands.run(plan.command, {
        cwd: folder,
        envs: plan.envs,
      });
      return { exitCode, printed: stdout + stderr };
    }
    const print = (text: string) => {
      printed += text;
    };
    const exitCode = (await plan?.run(print, new AbortController().signal)) ?? -1;
    return { exitCode, printed };
  };
  return {
    ...{ sandbox, run },
    read: (path: string) => sandbox.files.read(`${folder}/${path}`),
    exists: (path: string) => sandbox.files.exists(`${folder}/${path}`),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

function pack(manifest: RegistryPackage['manifest'], ...members: readonly Member[]): RegistryPackage {
  const own = { path: 'package/package.json', content: JSON.stringify(manifest) };
  return { manifest, archive: gzipSync(tarOf(own, ...members)) };
}

/** Locations and versions of a lock. */
function placesOf(lock: string): Record<string, string> {
  const { packages }: { packages: Record<string, { version?: string }> } = JSON.parse(lock);
  const places = Object.entries(packages).filter(([location]) => location !== '');
  return Object.fromEntries(places.map(([location, { version = '' }]) => [location, version]));
}

async function installedByNpm(manifest: string, registry: string): Promise<Record<string, string>> {
  const place = await mkdtemp(join(tmpdir(), 'coppice-npm-'));
  try {
    await writeFile(join(place, 'package.json'), manifest);
    const options = [
      '--registry',
      registry,
      '--cache',
      join(place, 'cache'),
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
    ];
    await promisify(execFile)('npm', ['install', ...options], { cwd: place });
    return placesOf(await readFile(join(place, 'package-lock.json'), 'utf8'));
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

const hasNpm = (process.env.PATH ?? '').split(delimiter).some((path) => existsSync(join(path, 'npm')));

test.skipIf(!hasNpm)(
  `C-7 an install gives the tree that npm gives${hasNpm ? '' : ' (no npm here)'}`,
  async () => {
    const packages = [
      ...packInstalled(['express']),
      pack({ name: 'deep', version: '1.0.0' }),
      pack({ name: 'deep', version: '2.0.0', dependencies: { low: '1' } }),
      pack({ name: 'low', version: '1.0.0' }),
      pack({ name: 'low', version: '2.0.0' }),
      pack({ name: 'left', version: '1.0.0', dependencies: { deep: '^1.0.0', low: '2' } }),
      pack({ name: 'right', version: '1.0.0', dependencies: { deep: '^2.0.0' } }),
      pack({ name: 'plugin', version: '1.0.0', peerDependencies: { deep: '2' } }),
      pack({ name: 'wants-plugin', version: '1.0.0', dependencies: { plugin: '1', deep: '2' } }),
      pack({ name: 'for-others', version: '1.0.0', os: ['darwin'], dependencies: { low: '1' } }),
    ];
    await using registry = await serveRegistry(packages);
    const manifest = JSON.stringify({
      ...{ name: 'app', version: '1.0.0' },
      dependencies: { express: '*', right: '1', 'wants-plugin': '1', other: 'npm:low@2' },
      devDependencies: { left: '1' },
      optionalDependencies: { 'for-others': '1', 'not-there': '1' },
    });
    await using project = await openProject({ 'package.json': manifest }, { registry: registry.url });
    const { exitCode, printed } = await project.run('npm', 'install');
    expect(printed).toMatch(/added \d+ packages in/);
    expect(exitCode).toBe(0);
    const places = placesOf(await project.read('package-lock.json'));
    expect(places).toEqual(await installedByNpm(manifest, registry.url));
    expect(await project.exists('node_modules/for-others')).toBe(false);
    expect(JSON.parse(await project.read('node_modules/express/package.json'))).toMatchObject({
      name: 'express',
    });
  },
);

const app = (more: object) => ({
  'package.json': JSON.stringify({ name: 'app', version: '1.0.0', ...more }, undefined, 2),
});

test('C-7 packages that are named are added, to package.json too, and commands and scripts run', async () => {
  const program = '#!/bin/bash\necho "said $*"\n';
  await using registry = await serveRegistry([
    pack({ name: 'say', version: '1.0.0', bin: 'bin/say' }, { path: 'package/bin/say', content: program }),
    pack({
      name: '@scope/tool',
      version: '2.1.0',
      scripts: { postinstall: 'touch /tmp/ran' },
      hasInstallScript: true,
    }),
    pack({ name: '@scope/tool', version: '3.0.0-beta.1' }),
  ]);
  const scripts = {
    prestart: 'echo before',
    start: 'say hello && npm run other -- "two words"',
    other: 'say',
  };
  await using project = await openProject(app({ scripts }), { registry: registry.url });
  const added = await project.run('npm', 'i', '-D', '@scope/tool@^2', 'say');
  expect(added).toEqual({
    exitCode: 0,
    printed: expect.stringMatching(
      /^npm warn install scripts are not run here: @scope\/tool@2\.1\.0\n\nadded 2 packages in \d+m?s\n$/,
    ),
  });
  expect(JSON.parse(await project.read('package.json')).devDependencies).toEqual({
    '@scope/tool': '^2.1.0',
    say: '^1.0.0',
  });
  const started = await project.run('npm', 'start');
  expect(started.printed).toBe(
    [
      ...['', '> app@1.0.0 prestart', '> echo before', '', 'before'],
      ...['', `> app@1.0.0 start`, `> ${scripts.start}`, '', 'said hello'],
      ...['', '> app@1.0.0 other', '> say two\\ words', '', 'said two words', ''],
    ].join('\n'),
  );
  expect((await project.run('npx', 'say', 'a', 'b')).printed).toBe('said a b\n');
  expect(await project.run('npm', 'run', 'none')).toMatchObject({
    exitCode: 1,
    printed: expect.stringContaining('ENOSCRIPT'),
  });
  expect(await project.run('npm', 'install')).toMatchObject({ printed: expect.stringMatching(/up to date/) });
  expect(await project.run('npm', 'install', '--omit=dev')).toMatchObject({
    printed: expect.stringMatching(/removed 2 packages/),
  });
  expect(await project.exists('node_modules/.bin/say')).toBe(false);
});

test('C-7 a lock is what npm ci installs, also one without addresses, and one that does not fit is refused', async () => {
  const packages = [
    pack({ name: 'one', version: '1.0.0', dependencies: { two: '*' } }),
    pack({ name: 'one', version: '1.1.0', dependencies: { two: '*' } }),
    pack({ name: 'two', version: '1.0.0' }),
  ];
  const manifest = app({ dependencies: { one: '^1.0.0' } });
  await using first = await serveRegistry(
    packages.filter(({ manifest: { version } }) => version === '1.0.0'),
  );
  await using before = await openProject(manifest, { registry: first.url });
  await before.run('npm', 'install');
  const lock = JSON.parse(await before.read('package-lock.json'));
  for (const entry of Object.values<{ resolved?: string }>(lock.packages)) delete entry.resolved;

  await using second = await serveRegistry(packages);
  const locked = { ...manifest, 'package-lock.json': JSON.stringify(lock) };
  await using project = await openProject(locked, { registry: second.url });
  expect(await project.run('npm', 'ci')).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(await project.read('node_modules/one/package.json')).version).toBe('1.0.0');
  expect(await project.run('npm', 'install')).toMatchObject({
    printed: expect.stringContaining('up to date'),
  });
  await project.sandbox.files.write(
    `${folder}/package.json`,
    app({ dependencies: { one: '^1.1.0' } })['package.json'],
  );
  const refused = await project.run('npm', 'ci');
  expect(refused).toMatchObject({ exitCode: 1, printed: expect.stringContaining("lock file's one@1.0.0") });
  expect(await project.run('npm', 'install')).toMatchObject({
    printed: expect.stringContaining('changed 1 package'),
  });
  await using empty = await openProject(manifest, { registry: second.url });
  expect(await empty.run('npm', 'ci')).toMatchObject({
    exitCode: 1,
    printed: expect.stringContaining('EUSAGE'),
  });
});

test('C-7 what cannot be installed is said by npm’s codes, and leaves the project as it was', async () => {
  const away = pack({ name: 'away', version: '1.0.0' }, { path: 'package/../../../out', content: 'x' });
  const swapped = pack({ name: 'swapped', version: '1.0.0' });
  const bomb = gzipSync(Buffer.concat([tarOf(), Buffer.alloc(2 ** 28)]));
  await using registry = await serveRegistry([
    away,
    pack({ name: 'link', version: '0.1.0' }),
    pack({ name: 'link', version: '1.0.0' }, { type: 'symlink', path: 'package/etc', linkPath: '/etc' }),
    { manifest: { ...swapped.manifest, dist: undefined }, archive: swapped.archive },
    { manifest: { name: 'bomb', version: '1.0.0' }, archive: bomb },
    pack({ name: 'for-arm', version: '1.0.0', cpu: ['arm64'] }),
    pack({ name: 'needs-old', version: '1.0.0', peerDependencies: { link: '^0.1.0' } }),
    pack({ name: 'hostile-name', version: '1.0.0', dependencies: { '../../etc': '1' } }),
  ]);
  const cases: readonly (readonly [dependencies: object, said: RegExp, args?: readonly string[]])[] = [
    [{ none: '1' }, /code E404.*none/s],
    [{ link: '^9' }, /code ETARGET.*link@\^9/s],
    [{ swapped: '1' }, /code EREGISTRY.*swapped@1\.0\.0/s],
    [{ away: '1' }, /code EBADARCHIVE.*has "\.\." in it/s],
    [{ bomb: '1' }, /code ELIMIT.*bomb/s],
    [{ 'for-arm': '1' }, /code EBADPLATFORM.*arm64.*linux ia32/s],
    [{ 'needs-old': '1', link: '1' }, /code ERESOLVE.*needs-old@1\.0\.0 wants link@\^0\.1\.0/s],
    [{ 'hostile-name': '1' }, /code EINVALIDPACKAGENAME/],
    [{ repo: 'git+https://git.example/a.git' }, /code EUNSUPPORTED.*git\+https/s],
    [{ up: 'file:../other' }, /code EUNSUPPORTED.*not below the project/s],
    [{ near: 'http://localhost:9/a.tgz' }, /code EUSAGE.*own machine/s],
    [{}, /code EUNSUPPORTED.*-g/s, ['-g', 'link']],
    [{}, /code EREGISTRY.*CORS/s, ['link', '--registry', 'http://127.0.0.1:9']],
  ];
  for (const [dependencies, said, args = []] of cases) {
    await using project = await openProject(app({ dependencies }), { registry: registry.url });
    const { exitCode, printed } = await project.run('npm', 'install', ...args);
    expect(printed).toMatch(said);
    expect(exitCode).toBe(1);
    expect((await project.sandbox.files.list(folder)).map(({ name }) => name)).toEqual(['package.json']);
  }
  await using linked = await openProject(app({ dependencies: { link: '1' } }), { registry: registry.url });
  await linked.run('npm', 'install');
  expect((await linked.sandbox.files.list(`${folder}/node_modules/link`)).map(({ name }) => name)).toEqual([
    'package.json',
  ]);
  await using none = await openProject(app({ dependencies: { link: '1' } }));
  expect((await none.run('npm', 'install')).printed).toMatch(/code ENOREGISTRY.*registry=https/s);
});

test('C-7 an archive that is another than was announced is refused', async () => {
  const announced = pack({ name: 'swapped', version: '1.0.0' });
  await using registry = await serveRegistry([announced]);
  const lied = `sha512-${Buffer.alloc(64).toString('base64')}`;
  const { url } = registry;
  const answer: typeof fetch = async (address) => {
    const response = await fetch(address);
    if (String(address).endsWith('.tgz')) return response;
    return new Response((await response.text()).replace(/sha512-[^"]*/, lied));
  };
  await using project = await openProject(app({ dependencies: { swapped: '1' } }), {
    registry: url,
    fetch: answer,
  });
  expect((await project.run('npm', 'install')).printed).toMatch(/code EINTEGRITY/);
});

test('C-7 what was installed before is installed without the registry', async () => {
  const stored = new Map<string, Uint8Array<ArrayBuffer>>();
  const cache: PackageCache = {
    get: async (url) => stored.get(url),
    put: async (url, bytes) => void stored.set(url, bytes),
    trim: async () => undefined,
  };
  const manifest = app({ dependencies: { one: '*' } });
  let url: string;
  {
    await using registry = await serveRegistry([pack({ name: 'one', version: '1.0.0' })]);
    ({ url } = registry);
    await using project = await openProject(manifest, { registry: url, cache });
    expect(await project.run('npm', 'install')).toMatchObject({ exitCode: 0 });
  }
  await using offline = await openProject(manifest, { registry: url, cache });
  expect(await offline.run('npm', 'install')).toMatchObject({ exitCode: 0 });
  expect(await offline.exists('node_modules/one/package.json')).toBe(true);
});

test('C-7 folders and archives of the project, aliases and overrides are installed', async () => {
  await using registry = await serveRegistry([
    pack({ name: 'one', version: '1.0.0', dependencies: { two: '^1.0.0' } }),
    pack({ name: 'two', version: '1.0.0' }),
    pack({ name: 'two', version: '2.0.0' }),
  ]);
  const manifest = app({
    dependencies: { lib: 'file:./lib', uno: 'npm:one@^1.0.0', packed: 'file:packed.tgz' },
    overrides: { two: '2.0.0' },
  });
  await using project = await openProject(manifest, { registry: registry.url });
  await project.sandbox.files.makeDirectory(`${folder}/lib`);
  await project.sandbox.files.write(
    `${folder}/lib/package.json`,
    JSON.stringify({ name: 'lib', version: '1.0.0' }),
  );
  const { archive } = pack({ name: 'packed', version: '4.0.0' });
  await project.sandbox.files.write(`${folder}/packed.tgz`, archive);
  expect(await project.run('npm', 'install')).toMatchObject({ exitCode: 0 });
  expect(placesOf(await project.read('package-lock.json'))).toEqual({
    lib: '1.0.0',
    'node_modules/lib': '',
    'node_modules/packed': '4.0.0',
    'node_modules/two': '2.0.0',
    'node_modules/uno': '1.0.0',
  });
  expect(JSON.parse(await project.read('node_modules/lib/package.json')).name).toBe('lib');
  expect(await project.run('npm', 'ci')).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(await project.read('node_modules/uno/package.json')).name).toBe('one');
});

test('C-7 an install that fails while it unpacks leaves what was installed, and what is missing is put there again', async () => {
  const both = [
    { path: 'package/a', content: 'file' },
    { path: 'package/a/b', content: 'below a file' },
  ];
  await using registry = await serveRegistry([
    pack({ name: 'one', version: '1.0.0' }),
    pack({ name: 'one', version: '2.0.0' }, ...both),
    pack({ name: 'two', version: '1.0.0' }),
  ]);
  const manifest = app({ dependencies: { one: '1.0.0', two: '1.0.0' } });
  await using project = await openProject(manifest, { registry: registry.url });
  await project.run('npm', 'install');
  expect(await project.run('npm', 'install', 'one@2')).toMatchObject({ exitCode: 1 });
  expect(JSON.parse(await project.read('node_modules/one/package.json')).version).toBe('1.0.0');
  expect((await project.sandbox.files.list(folder)).map(({ name }) => name).sort()).toEqual([
    'node_modules',
    'package-lock.json',
    'package.json',
  ]);
  await project.sandbox.files.remove(`${folder}/node_modules/one`);
  expect(await project.run('npm', 'install')).toMatchObject({
    exitCode: 0,
    printed: expect.stringContaining('added 1 package'),
  });
  expect(await project.exists('node_modules/one/package.json')).toBe(true);
});

test('C-7 a package without a program for the processor of a tab is named when it is installed, with what runs it', async () => {
  const built = (name: string, cpu: string) => pack({ name, version: '1.0.0', os: ['linux'], cpu: [cpu] });
  const optional = (...names: string[]) => Object.fromEntries(names.map((name) => [name, '1.0.0']));
  await using registry = await serveRegistry([
    built('roll-x64', 'x64'),
    built('roll-arm64', 'arm64'),
    built('build-ia32', 'ia32'),
    pack({ name: 'roll', version: '1.0.0', optionalDependencies: optional('roll-x64', 'roll-arm64') }),
    pack({ name: 'build', version: '1.0.0', optionalDependencies: optional('roll-x64', 'build-ia32') }),
    pack({ name: 'watch', version: '1.0.0', optionalDependencies: optional('roll-x64') }),
  ]);
  const manifest = JSON.stringify({ dependencies: { roll: '*', build: '*', watch: '*' } });
  await using project = await openProject({ 'package.json': manifest }, { registry: registry.url });
  const { exitCode, printed } = await project.run('npm', 'install');
  expect(exitCode).toBe(0);
  expect(printed.match(/^npm warn .*/gm)).toEqual([
    expect.stringMatching(
      /roll@1\.0\.0 has no program for this machine \(linux on ia32\).* runs in a sandbox of a host/,
    ),
  ]);
});
