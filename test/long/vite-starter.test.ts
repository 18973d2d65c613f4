import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHost } from '../../bridge-server/main/open-host.ts';
import { whatProgramsLack } from '../../bridge-server/runtimes/jail/probe-programs.ts';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import { placeImage } from '../../host/images/place-image.ts';
import { createProgress } from '../../host/progress.ts';
import { buildImage } from '../../images/build-image.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { tarOf } from '../fixtures/hostile-tars.ts';
import { packFolder, registryFolder, registryUrl } from '../fixtures/package-registry.ts';
import { makeTestFolder } from '../host/open-test-host.ts';
import { whatImageLacks } from '../host/what-image-lacks.ts';
import { whatJailsLack } from '../host/what-jails-lack.ts';

const image = 'debian-amd64';
/** The last that runs with Node 18, which the image has. */
const starter = 'create-vite@5';
const bundler = 'vite@5';
const dev = 'cd app && NO_COLOR=1 npm run dev';
const url = 'http://localhost:5173';
/** Serves `registry` in the jail, where names of packages may have a scope. */
const registryProgram = `
const { readFile } = require('node:fs');
require('node:http').createServer(({ url }, response) => {
  const name = decodeURIComponent(url.slice(1).split('?')[0]);
  readFile('registry/' + encodeURIComponent(name.endsWith('.tgz') ? name : name + '.json'), (error, bytes) => {
    response.statusCode = error ? 404 : 200;
    response.end(error ? '{}' : bytes);
  });
}).listen(${new URL(registryUrl).port}, '127.0.0.1', () => console.log('ready'));
`;
const lack =
  (await whatJailsLack()) ??
  (await whatProgramsLack('amd64', { folder: tmpdir() })) ??
  (await whatImageLacks(image));

describe.skipIf(lack)(`a Vite starter on a bridge${lack ? ` (not here: ${lack})` : ''}`, () => {
  const stack = new AsyncDisposableStack();
  let sandbox: Sandbox;

  /** npm of this host asks the registry; what it installs is the registry of the jail, which asks nobody outside. */
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coppice-vite-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const npm = (...args: string[]) => promisify(execFile)('npm', args, { cwd: folder });
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    await npm('install', '--no-audit', '--no-fund', '--loglevel=error', starter, bundler);
    const files = stack.use(await makeTestFolder());
    const cache = new CacheFolder(cachePath());
    const built = await buildImage(image, { cache, progress: createProgress(), golden: true });
    await placeImage(built, { to: join(files.options.folder, 'images'), isDefault: false });
    const { backend } = stack.use(await openHost(files.options));
    sandbox = stack.use(await Sandbox.create({ backend, image }));
    const served = [...registryFolder(packFolder(folder), registryUrl)];
    const members = served.map(([name, content]) => ({ path: encodeURIComponent(name), content }));
    await sandbox.files.makeDirectory('/home/user/registry');
    await sandbox.importTar(Readable.from([tarOf(...members)]), { path: '/home/user/registry' });
    await sandbox.files.write('/home/user/registry.cjs', registryProgram);
    await sandbox.files.write('/home/user/.npmrc', `registry=${registryUrl}\naudit=false\nfund=false\n`);
  }, 900_000);
  afterAll(() => stack.disposeAsync());

  const run = async (command: string): Promise<string> => {
    const { stdout, stderr, exitCode } = await sandbox.run(command, { timeoutMs: 300_000 });
    expect(exitCode, `${command}: ${stdout}${stderr}`).toBe(0);
    return stdout;
  };
  const get = (path: string) =>
    run(`node -e 'fetch("${url}${path}").then((answer) => answer.text()).then(console.log)'`);

  /** Starts a program; resolves when it has said that. */
  async function start(command: string, sign: string): Promise<void> {
    const ready = Promise.withResolvers<void>();
    let said = '';
    const server = await sandbox.commands.run(command, {
      background: true,
      onStdout: (text) => {
        said += text;
        if (said.includes(sign)) ready.resolve();
      },
    });
    void server
      .wait()
      .then(
        ({ exitCode, stderr }) => ready.reject(new Error(`It ended (${exitCode}): ${stderr}`)),
        ready.reject,
      );
    await ready.promise;
  }

  test('C-7 I-1 R-3 is made and installed by npm, served, changed, reloaded, built and rewound', async () => {
    await start('node registry.cjs', 'ready');
    await run('npm exec --yes --package create-vite -- create-vite app --template vanilla');
    const { id: made } = await sandbox.createSnapshot({ label: 'made' });
    await run('cd app && npm install');
    const { id: installed } = await sandbox.createSnapshot({ label: 'installed' });
    await start(dev, url);
    expect(await get('/')).toContain('/@vite/client');
    expect(await get('/main.js')).toContain('Hello Vite!');
    await run("sed -i 's/Hello Vite!/Hello again!/' app/main.js");
    // Vite learns of the change by inotify, and answers what it has transformed until then.
    await expect.poll(() => get('/main.js'), { timeout: 60_000 }).toContain('Hello again!');
    await run('cd app && npm run build');
    expect(await run('grep -l "Hello again!" app/dist/assets/*.js')).toMatch(/index-.*\.js/);

    await sandbox.checkout(installed);
    expect(await run('ls app')).not.toContain('dist');
    await start(dev, url);
    expect(await get('/main.js')).toContain('Hello Vite!');
    await sandbox.checkout(made);
    expect(await run('ls app')).not.toContain('node_modules');
  }, 900_000);
});
