import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page, test } from '@playwright/test';
import type { WebContainer as WebContainerClass } from '@webcontainer/api';
import type { StaticServer } from '../../scripts/static-server.ts';
import { startBridgeProcess } from '../fixtures/bridge-process.ts';
import { whatMovesLack } from '../host/what-jails-lack.ts';
import { inLongRun } from '../runs-long.ts';
import { serveSite } from './tab/drive-page.ts';
import { openSdkPage } from './tab/sdk-page.ts';
import { openApp, serveWebContainerApp } from './tab/webcontainer-app.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

/** In the application's page. */
declare const WebContainer: typeof WebContainerClass;

let site: StaticServer;
let app: StaticServer;
test.beforeAll(async () => {
  site = await serveSite({ embedders: ['http://*.localhost:*'] });
  app = await serveWebContainerApp();
});
test.afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

/** A server that takes requests and answers none. */
async function serveSilence(): Promise<StaticServer> {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function openShellApp(page: Page): Promise<void> {
  return openApp(page, { app: app.url, host: site.url, settings: 'runtime=shell' });
}

test('C-7 the unmodified package boots, mounts a tree, changes files and exports them', async ({ page }) => {
  await openShellApp(page);
  const result = await page.evaluate(async () => {
    const container = await WebContainer.boot({ coep: 'none', workdirName: 'app' });
    const failure = (work: Promise<unknown>) =>
      work.then(
        () => 'none',
        (error: Error) => `${(error as { code?: string }).code}`,
      );
    await container.mount({
      'index.js': { file: { contents: 'console.log("hi")' } },
      src: { directory: { 'bytes.bin': { file: { contents: Uint8Array.of(0, 200, 255) } } } },
      link: { file: { symlink: 'index.js' } },
      empty: { directory: {} },
    });
    await container.mount({ 'b.txt': { file: { contents: 'ü' } } }, { mountPoint: 'deep/er' });
    const { fs, workdir, path } = container;
    await fs.mkdir('made/by/fs', { recursive: true });
    await fs.writeFile('made/note.txt', 'first');
    await fs.rename('made/note.txt', '/made/kept.txt');
    await fs.writeFile('gone', Uint8Array.of(1));
    await fs.rm('gone');
    const entries = await fs.readdir('.', { withFileTypes: true });
    return {
      ...{ workdir, path },
      entries: entries.map((entry) => `${entry.name} ${entry.isDirectory()} ${entry.isFile()}`),
      names: await fs.readdir('made'),
      text: await fs.readFile('deep/er/b.txt', 'utf-8'),
      bytes: [...(await fs.readFile('src/bytes.bin'))],
      linked: await fs.readFile('link', 'utf8'),
      failures: [
        await failure(fs.readFile('none')),
        await failure(fs.readFile('../../../etc/passwd')),
        await failure(fs.rm('made')),
        await failure(fs.mkdir('src')),
        await failure(fs.writeFile('none/file', '')),
        await failure(fs.readdir('index.js')),
      ],
      exported: JSON.parse(
        JSON.stringify(
          await container.export('.', { excludes: ['made/**', 'src'], includes: ['made/kept*'] }),
        ),
      ),
      zip: String.fromCharCode(...(await container.export('src', { format: 'zip' })).subarray(0, 2)),
      remounted: await (async () => {
        await container.mount(await container.export('src', { format: 'binary' }), { mountPoint: 'again' });
        return [...(await fs.readFile('again/bytes.bin'))];
      })(),
    };
  });
  expect(result).toEqual({
    workdir: '/home/user/app',
    path: '/home/user/app/node_modules/.bin:/usr/local/bin:/usr/bin:/bin',
    entries: [
      'deep true false',
      'empty true false',
      'index.js false true',
      'link false false',
      'made true false',
      'src true false',
    ],
    names: ['by', 'kept.txt'],
    text: 'ü',
    bytes: [0, 200, 255],
    linked: 'console.log("hi")',
    failures: ['ENOENT', 'EACCES', 'EISDIR', 'EEXIST', 'ENOENT', 'ENOTDIR'],
    exported: {
      deep: { directory: { er: { directory: { 'b.txt': { file: { contents: 'ü' } } } } } },
      empty: { directory: {} },
      'index.js': { file: { contents: 'console.log("hi")' } },
      link: { file: { symlink: 'index.js' } },
      made: { directory: { 'kept.txt': { file: { contents: 'first' } } } },
    },
    zip: 'PK',
    remounted: [0, 200, 255],
  });
});

test('C-7 programs print, read, are resized and killed, and one that is not there says where it would be', async ({
  page,
}) => {
  await openShellApp(page);
  const result = await page.evaluate(async () => {
    const container = await WebContainer.boot();
    const collect = (process: { output: ReadableStream<string> }) => {
      const shown = { text: '' };
      const write = (text: string) => {
        shown.text += text;
      };
      void process.output.pipeTo(new WritableStream({ write }));
      return shown;
    };
    const until = async (isSo: () => boolean) => {
      while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await container.fs.writeFile('a.txt', 'hällo €\n');
    const cat = await container.spawn('cat', ['a.txt']);
    const shown = collect(cat);
    const exit = await cat.exit;
    const failed = await (await container.spawn('jsh', ['-c', 'exit 3'])).exit;
    const shell = await container.spawn('jsh', { env: { NAME: 7 }, terminal: { cols: 40, rows: 10 } });
    const terminal = collect(shell);
    const input = shell.input.getWriter();
    await until(() => terminal.text.includes('$'));
    await input.write('echo "[$NAME $PWD]"\n');
    await until(() => terminal.text.includes('[7 /home/user/project]'));
    shell.resize({ cols: 99, rows: 20 });
    await input.write('echo "<$COLUMNS>"\n');
    await until(() => terminal.text.includes('<99>'));
    const endless = await container.spawn('bash', ['-c', 'while :; do sleep 1; done'], { output: false });
    endless.kill();
    const killed = await endless.exit;
    const missing = await container.spawn('vite', ['dev']).catch((error: Error) => error.message);
    return { shown: shown.text, exit, failed, isKilled: killed !== 0, missing };
  });
  expect(result).toEqual({
    shown: 'hällo €\r\n',
    exit: 0,
    failed: 3,
    isKilled: true,
    missing: expect.stringContaining('runtime=v86'),
  });
});

test('C-7 watchers hear of what programs and the page change, and only below their path', async ({
  page,
}) => {
  await openShellApp(page);
  const heard = await page.evaluate(async () => {
    const container = await WebContainer.boot();
    await container.mount({
      src: { directory: { 'a.js': { file: { contents: '1' } } } },
      other: { directory: {} },
    });
    const events = new Set<string>();
    const wanted = Promise.withResolvers<void>();
    const listen = (event: string, name: string | Uint8Array) => {
      events.add(`${event} ${name}`);
      if (events.size === 3) wanted.resolve();
    };
    container.fs.watch('src', { recursive: true }, listen);
    await container.fs.readdir('src');
    await (
      await container.spawn('bash', [
        '-c',
        'echo 2 > src/a.js; mkdir src/in; echo > src/in/b; echo > other/c',
      ])
    ).exit;
    await wanted.promise;
    return [...events].sort();
  });
  expect(heard).toEqual(['change a.js', 'rename in', 'rename in/b']);
});

longTest(
  'C-7 one instance at a time; a teardown frees all of it, and the next begins anew',
  async ({ page }) => {
    await openShellApp(page);
    const result = await page.evaluate(async () => {
      const first = await WebContainer.boot();
      await first.fs.writeFile('mine', 'x');
      const second = await WebContainer.boot().catch((error: Error) => error.message);
      const running = await first.spawn('bash', ['-c', 'while :; do sleep 1; done']);
      first.teardown();
      const again = await WebContainer.boot();
      return { second, pid: typeof running, names: await again.fs.readdir('.') };
    });
    expect(result).toEqual({
      second: 'Only a single WebContainer instance can be booted',
      pid: 'object',
      names: [],
    });
  },
);

test('C-7 S-6 the page goes back and forks by the host’s history; its forks are not those of another origin', async ({
  page,
}) => {
  // Of one site, so that all have the same storage.
  const host = site.url.replace('localhost', 'machines.shop.localhost');
  const [own, other] = ['own', 'other'].map((name) => app.url.replace('localhost', `${name}.shop.localhost`));
  await openApp(page, { app: `${own}`, host, settings: 'runtime=shell' });
  const module = `${site.url}webcontainer-history.js`;
  const source = await (await fetch(module)).text();
  const result = await page.evaluate(async (source) => {
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    const { openHistory }: typeof import('../../web/webcontainer-host/history/open-history.ts') =
      await import(url);
    const none = await openHistory().catch((error: Error) => error.message);
    const container = await WebContainer.boot();
    const history = await openHistory();
    await container.fs.writeFile('note', 'one');
    const before = await history.snapshot('before');
    const running = await container.spawn('bash', ['-c', 'while :; do sleep 1; done']);
    await container.fs.writeFile('note', 'two');
    const { previousHead } = await history.checkout(before);
    const exit = await running.exit;
    const [back, fork] = [await container.fs.readFile('note', 'utf8'), await history.fork()];
    await history.checkout(previousHead);
    const forth = await container.fs.readFile('note', 'utf8');
    const refused = await history.checkout('none').catch((error: { code?: string }) => error.code);
    const labels = (await history.log()).length;
    history.close();
    container.teardown();
    return { none, exit: exit !== 0, back, forth, refused, labels: labels > 1, fork };
  }, source);
  expect(result).toMatchObject({
    none: expect.stringContaining('boot() first'),
    exit: true,
    back: 'one',
    forth: 'two',
    refused: 'not-found',
    labels: true,
  });

  await openApp(page, { app: `${other}`, host, settings: `sandbox=${result.fork}` });
  const refused = await page.evaluate(() => WebContainer.boot().catch((error: Error) => error.message));
  expect(refused).toContain(`none of ${new URL(`${other}`).origin}`);
  await openApp(page, { app: `${own}`, host, settings: `sandbox=${result.fork}` });
  const kept = await page.evaluate(async () => (await WebContainer.boot()).fs.readFile('note', 'utf8'));
  expect(kept).toBe('one');
});

test('C-7 S-6 a frame of another origin in the page does not reach the history', async ({ page }) => {
  await openShellApp(page);
  const stranger = app.url.replace('localhost', '127.0.0.1');
  await page.evaluate(async (stranger) => {
    await WebContainer.boot();
    const frame = document.createElement('iframe');
    frame.src = stranger;
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
    document.body.append(frame);
    await loaded;
  }, stranger);
  /** Asks the host's frame, the first of the page, for the history. */
  const ask = () => {
    const { port1, port2 } = new MessageChannel();
    const answered = new Promise((resolve) => {
      port1.onmessage = () => resolve('answered');
    });
    (globalThis as unknown as Record<string, unknown>).answered = answered;
    window.top?.frames[0]?.postMessage({ type: 'coppice-history' }, '*', [port2]);
  };
  const frame = page.frames().find((other) => other.url() === stranger);
  await frame?.evaluate(ask);
  await page.evaluate(ask);
  const answered = () => (globalThis as unknown as { answered: Promise<string> }).answered;
  expect(await page.evaluate(answered)).toBe('answered');
  const heard = () =>
    Promise.race([
      (globalThis as unknown as { answered: Promise<string> }).answered,
      Promise.resolve('nothing'),
    ]);
  expect(await frame?.evaluate(heard)).toBe('nothing');
});

test('C-7 S-6 requests that are nonsense are refused, one by one, and nothing but what is offered can be reached', async ({
  page,
}) => {
  await openShellApp(page);
  const answers = await page.evaluate(async () => {
    const ports = Promise.withResolvers<MessagePort>();
    addEventListener('message', ({ data, ports: [port] }) => {
      if (data?.type === 'init' && port) ports.resolve(port);
    });
    const frame = document.createElement('iframe');
    frame.src = `${(globalThis as unknown as Record<string, string>).WEBCONTAINER_API_IFRAME_URL}headless?client_id=runtime%3Dshell`;
    document.body.append(frame);
    const port = await ports.promise;
    const ask = (message: object) =>
      new Promise<string>((resolve) => {
        port.onmessage = ({ data }) => resolve(data.value?.value?.message ?? 'done');
        port.postMessage({ id: 'a', ...message });
      });
    port.postMessage('nonsense');
    const raw = (value: unknown) => ({ type: 0, value });
    return [
      await ask({ type: 2, path: ['constructor', 'constructor'], argumentList: [raw('return 1')] }),
      await ask({ type: 2, path: ['toString'], argumentList: [] }),
      await ask({ type: 1, path: ['build'], value: raw(1) }),
      await ask({ type: 3, path: [], argumentList: [] }),
      await ask({ type: 2, path: ['build'], argumentList: [{ type: 3, name: 'throw', value: {} }] }),
      await ask({ type: 2, path: ['build'], argumentList: [raw({ host: 'other.example' })] }),
      await ask({
        type: 2,
        path: ['build'],
        argumentList: [raw({ host: location.host, workdirName: '..' })],
      }),
    ];
  });
  expect(answers).toEqual([
    'Cannot take the request: its path is no name',
    'This host does not know "toString"',
    'Cannot take the request: it asks for what no object here does',
    'Cannot take the request: it asks for what no object here does',
    'Cannot take the request: an argument is no value',
    expect.stringContaining('Cannot boot for "other.example"'),
    expect.stringContaining('Cannot boot in ".."'),
  ]);
});

test('C-7 a server in the tab’s machine is told, shown at an origin of its own, and its errors are forwarded', async ({
  page,
}) => {
  // A context of Playwright blocks storage of other sites, so all is below one domain, as on one's own servers.
  const host = site.url.replace('localhost', 'machines.shop.localhost');
  await openApp(page, { app: app.url.replace('localhost', 'shop.localhost'), host, settings: 'runtime=v86' });
  const url = await page.evaluate(async () => {
    const container = await WebContainer.boot({ forwardPreviewErrors: true });
    const html = (body: string) => ({
      file: { contents: `<!doctype html><html><head></head><body>${body}</body></html>` },
    });
    await container.mount({
      'index.html': html('<h1>shop</h1><a href="/in/">in</a><script src="/app.js"></script>'),
      'app.js': { file: { contents: 'document.body.append(typeof fromHost); console.error("broken", 7)' } },
      'early.js': { file: { contents: 'globalThis.fromHost = 1' } },
      in: { directory: { 'index.html': html('<p>inside</p>') } },
    });
    await container.setPreviewScript('/early.js');
    const ready = Promise.withResolvers<string>();
    const scope = globalThis as unknown as Record<string, unknown>;
    const message = Promise.withResolvers<unknown>();
    scope.message = message.promise;
    scope.container = container;
    const closed = Promise.withResolvers<number>();
    scope.portClosed = closed.promise;
    container.on('server-ready', (_port, address) => ready.resolve(address));
    container.on('port', (port, type) => type === 'close' && closed.resolve(port));
    container.on('preview-message', message.resolve);
    scope.server = await container.spawn('python3', ['-m', 'http.server', '3000']);
    const address = await ready.promise;
    const frame = document.createElement('iframe');
    frame.className = 'preview';
    frame.src = address;
    document.body.append(frame);
    return address;
  });
  expect(new URL(url).host).toMatch(/^[0-9a-f]{8}-3000\.machines\.shop\.localhost:\d+$/);
  const shown = page.frameLocator('iframe.preview').frameLocator('iframe');
  await expect(shown.locator('body')).toContainText(/shop\s*in\s*number/);
  const message = await page.evaluate(() => (globalThis as unknown as { message: Promise<unknown> }).message);
  expect(message).toMatchObject({
    type: 'PREVIEW_CONSOLE_ERROR',
    args: ['broken', '7'],
    port: 3000,
    pathname: '/',
  });
  await shown.getByText('in', { exact: true }).click();
  await expect(shown.locator('p')).toHaveText('inside');
  const closed = await page.evaluate(() => {
    const scope = globalThis as unknown as { server: { kill(): void }; portClosed: Promise<number> };
    scope.server.kill();
    return scope.portClosed;
  });
  expect(closed).toBe(3000);

  await page.evaluate(() => (globalThis as unknown as { container: WebContainerClass }).container.teardown());
  const preview = page.frameLocator('iframe.preview');
  await expect(preview.locator('p')).toHaveText('The WebContainer of this preview shows it no more');
  const workers = () =>
    preview.locator('p').evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  await expect.poll(workers).toBe(0);
});

test('B-6 a sandbox runs in a WebContainer: commands, a terminal, files, captures and checkout; modes are kept', async ({
  context,
}) => {
  const { page, module } = await openSdkPage(context, site.url);
  const origin = new URL(site.url).origin;
  const result = await page.evaluate(
    async ({ module, origin }) => {
      const { Sandbox, openWebContainers }: typeof import('../../web/app/coppice.ts') = await import(module);
      const backend = await openWebContainers({ origin, key: 'runtime=shell' });
      const sandbox = await Sandbox.create({ runtime: 'webcontainer', backend });
      await sandbox.files.write('/run.sh', 'echo one > made', { mode: 0o755 });
      await sandbox.files.makeDirectory('/in/side');
      const script = await sandbox.run('bash run.sh; cat made; ln -s made link; exit 3');
      const read = 'while read -r line; do echo "[$line]"; done; pwd | grep -c side';
      const input = await sandbox.run(read, { stdin: "it's\nread\n", cwd: '/in/side' });
      const { id: before } = await sandbox.createSnapshot();
      const captured = Promise.withResolvers<readonly string[]>();
      const unsubscribe = await sandbox.subscribe((event) => {
        const paths = event.type === 'snapshot' ? event.snapshot.changes.paths : [];
        if (paths.some((path) => path.includes('later'))) captured.resolve(paths);
      });
      const shown = { text: '' };
      const asked = Promise.withResolvers<void>();
      const terminal = await sandbox.pty.create({
        ...{ columns: 80, rows: 24, cwd: '/in' },
        onData: (bytes) => {
          shown.text += new TextDecoder().decode(bytes);
          if (shown.text.includes('in=in')) asked.resolve();
        },
      });
      await terminal.sendInput(new TextEncoder().encode('echo > later; echo "in=$(basename $PWD)"\n'));
      await asked.promise;
      const paths = await captured.promise;
      unsubscribe();
      await sandbox.run('echo two > run.sh; rm -r made in');
      const mode = (await sandbox.files.stat('/run.sh')).mode & 0o777;
      await sandbox.checkout(before);
      const back = {
        names: (await sandbox.files.list('/')).map(({ name }) => name),
        text: await sandbox.run('cat run.sh link; ls in').then(({ stdout }) => stdout),
        target: (await sandbox.files.stat('/link')).target,
      };
      const second = await Sandbox.create({ runtime: 'webcontainer', backend }).catch((error) => error.code);
      const root = await sandbox.run('id', { user: 'root' }).catch((error) => error.code);
      await sandbox.close();
      const again = await Sandbox.open(sandbox.id, { backend });
      const kept = (await again.run('cat made')).stdout;
      await again.close();
      const { stdout, exitCode } = script;
      return { stdout, exitCode, input: input.stdout, paths, mode, back, second, root, kept };
    },
    { module, origin },
  );
  expect(result).toEqual({
    stdout: 'one\n',
    exitCode: 3,
    input: "[it's]\n[read]\n1\n",
    paths: expect.arrayContaining([expect.stringContaining('in/later')]),
    mode: 0o755,
    back: { names: ['in', 'link', 'made', 'run.sh'], text: 'echo one > madeone\nside\n', target: 'made' },
    second: 'busy',
    root: 'unsupported',
    kept: 'one\n',
  });
});

test('B-6 a host that is not there, or does not answer, is an error within five seconds that says what to do, and the page can go on', async ({
  context,
}) => {
  const { page, module } = await openSdkPage(context, site.url);
  await using silent = await serveSilence();
  const result = await page.evaluate(
    async ({ module, silent }) => {
      const { Sandbox, openWebContainers }: typeof import('../../web/app/coppice.ts') = await import(module);
      const create = async (origin: string) => {
        const backend = await openWebContainers({ origin });
        const startedAtMs = performance.now();
        const error = await Sandbox.create({ runtime: 'webcontainer', backend }).catch((cause) => cause);
        const isSoon = performance.now() - startedAtMs < 6_000;
        return { code: error.code, message: error.message, isSoon };
      };
      const failures = [await create('http://localhost:9'), await create(silent)];
      const other = await openWebContainers({ origin: location.origin, key: 'runtime=shell' });
      const sandbox = await Sandbox.create({ runtime: 'webcontainer', backend: other });
      const { stdout } = await sandbox.run('echo on');
      await sandbox.close();
      return { failures, stdout };
    },
    { module, silent: silent.url },
  );
  const failure = {
    code: 'connection-lost',
    message: expect.stringContaining('name another origin'),
    isSoon: true,
  };
  expect(result).toEqual({ failures: [failure, failure], stdout: 'on\n' });
});

longTest('C-7 P-7 after the first visit it boots without the site’s server', async ({ page }) => {
  const served = await serveSite();
  await openApp(page, { app: app.url, host: served.url, settings: 'runtime=shell' });
  const boot = () =>
    page.evaluate(async () => {
      const container = await WebContainer.boot();
      await container.fs.writeFile('a', 'kept');
      return (await container.spawn('cat', ['a'])).exit;
    });
  expect(await boot()).toBe(0);
  const host = page.frames().find((frame) => frame.url().startsWith(served.url));
  await host?.evaluate(async () => void (await navigator.serviceWorker.ready));
  await served[Symbol.asyncDispose]();
  await openApp(page, { app: app.url, host: served.url, settings: 'runtime=shell' });
  expect(await boot()).toBe(0);
});

test('C-7 with a bridge, programs and servers run in a jail, and the token is not left in the address', async ({
  page,
}) => {
  const lack = await whatMovesLack();
  test.skip(lack !== undefined, `no jails for sandboxes of tabs here: ${lack}`);
  const host = site.url.replace('localhost', 'machines.shop.localhost');
  await using bridge = await startBridgeProcess({ allowOrigin: new URL(host).origin });
  const settings = new URLSearchParams({
    ...{ bridge: bridge.url, token: bridge.token, network: 'full' },
  }).toString();
  await openApp(page, { app: app.url.replace('localhost', 'shop.localhost'), host, settings });
  const { text, told } = await page.evaluate(async () => {
    const container = await WebContainer.boot();
    await container.mount({
      'index.html': { file: { contents: '<!doctype html><h1>jail</h1>' } },
      'package.json': { file: { contents: '{"scripts":{"greet":"echo from a script"}}' } },
    });
    const ready = Promise.withResolvers<string>();
    // The jail's own port, which it has before anything runs, is no server.
    const told: number[] = [];
    container.on('port', (port) => void told.push(port));
    container.on('server-ready', (port, url) => {
      told.push(port);
      ready.resolve(url);
    });
    const process = await container.spawn('python3', ['-c', 'import sys; print(6 * 7, sys.stdout.isatty())']);
    // The image has no npm: the page takes its place.
    const script = await container.spawn('npm', ['run', 'greet']);
    let text = '';
    for (const { output } of [process, script]) {
      for await (const piece of output as ReadableStream<string> & AsyncIterable<string>) text += piece;
    }
    await container.spawn('python3', ['-m', 'http.server', '8080']);
    const frame = document.createElement('iframe');
    frame.className = 'preview';
    frame.allow = 'clipboard-read; clipboard-write';
    frame.src = await ready.promise;
    document.body.append(frame);
    return { text, told };
  });
  expect(told).toEqual([8080, 8080]);
  expect(text).toMatch(/^42 True\r\n[\s\S]*> echo from a script\r\n\r\nfrom a script\r\n$/);
  const shown = page.frameLocator('iframe.preview').frameLocator('iframe').locator('h1');
  await expect(shown).toHaveText('jail');
  // Neither where the application lets its frames have the clipboard, nor through the page around it.
  const mayCopy = await shown.evaluate(() =>
    [document, parent.document].flatMap((page) => {
      const { featurePolicy } = page as unknown as {
        featurePolicy: { allowsFeature(name: string): boolean };
      };
      return ['clipboard-read', 'clipboard-write'].map((name) => featurePolicy.allowsFeature(name));
    }),
  );
  expect(mayCopy).toEqual([false, false, false, false]);
  expect(
    page
      .frames()
      .map((frame) => frame.url())
      .filter((url) => url.includes('token')),
  ).toEqual([]);
  await page.evaluate(() =>
    document.querySelectorAll('iframe').forEach((frame) => {
      frame.remove();
    }),
  );
});
