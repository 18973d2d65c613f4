import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import type { CoppiceSandbox } from '../../web/embed/index.ts';
import { recordedSession } from '../fixtures/recorded-session.ts';
import { elsewhere, embedModule, serveHost, terminalOf } from './embed/host-page.ts';
import { serveSite } from './tab/drive-page.ts';

// Pages of other origins that have a site's `/embed/` in frames (THREAT_MODEL.md, "Pages of the site").

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

const lines = (events: readonly unknown[]): string => events.map((event) => JSON.stringify(event)).join('\n');
const recording = `${lines([
  { version: 3, term: { cols: 60, rows: 8 }, title: 'A <b>bold</b> session' },
  [0.1, 'o', '$ make test\r\n'],
  [0.5, 'o', '\u001b[32mok\u001b[0m 12 passed\r\n$ '],
  [60, 'o', 'an hour later'],
])}\n`;

test('P-6 a page of another site with a strict policy has two sandboxes and a replay, and drives them', async ({
  page,
}) => {
  await using host = await serveHost(site, {
    files: new Map([['/session.cast', recording]]),
    body: `
      <coppice-sandbox id="a" run="sh hello.sh" label="Hello"><pre data-file="hello.sh">echo hello from "$(cat who)"</pre><pre data-file="who">a file</pre></coppice-sandbox>
      <coppice-sandbox id="b" loading="click" run="cat note" files='{"note":"of b\\n"}' readonly></coppice-sandbox>
      <coppice-replay id="r" recording="session.cast"></coppice-replay>`,
  });
  const violations: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') violations.push(message.text());
  });
  await page.goto(elsewhere(host));
  // The picture of a recording needs no frame; what waits for a click has loaded none.
  await expect(page.locator('#r')).toContainText('ok 12 passed');
  await expect(page.locator('#r')).not.toContainText('an hour later');
  await expect(page.locator('#r .play')).toHaveAccessibleName('Play A <b>bold</b> session');
  await expect(page.locator('#r iframe, #b iframe')).toHaveCount(0);

  await page.locator('#a').getByRole('button', { name: 'Run' }).click();
  await expect(terminalOf(page, '#a')).toContainText('hello from a file');
  await page.locator('#a').getByLabel('hello.sh').fill('echo edited; echo new > made');
  await expect(page.locator('#a .badge')).toBeVisible();
  await page.locator('#a').getByRole('button', { name: 'Run' }).click();
  await expect(terminalOf(page, '#a')).toContainText('edited');
  await page.locator('#a').getByRole('button', { name: 'Compare' }).click();
  await expect(page.locator('#a .note')).toContainText('created /home/user/made');
  await page.locator('#a').getByRole('button', { name: 'Fork' }).click();
  await expect(terminalOf(page, '#a', 1)).toContainText('$');
  await page.locator('#a').getByRole('button', { name: 'Reset' }).click();
  await expect(page.locator('#a').getByLabel('hello.sh')).toHaveValue(/hello from/);
  await expect(page.locator('#a .badge')).toBeHidden();

  await page.locator('#b').getByRole('button', { name: 'Run' }).click();
  await expect(terminalOf(page, '#b')).toContainText('of b');
  // By the SDK of the page, over the frame's port.
  const driven = await page.evaluate(async (module) => {
    const { connectEmbed }: typeof import('../../web/embed/index.ts') = await import(module);
    const element = document.querySelector<CoppiceSandbox>('#a');
    if (!element) throw new Error('It is gone');
    const { sandbox } = await element.start();
    const { backend } = await connectEmbed(element);
    const events: string[] = [];
    await sandbox.subscribe(({ type }) => events.push(type));
    await sandbox.files.write('/home/user/x', 'of the page');
    const before = await sandbox.createSnapshot({ label: 'x' });
    const { stdout, exitCode } = await sandbox.run('cat x; rm x; exit 3');
    await sandbox.checkout(before.id);
    let shown = '';
    const answered = Promise.withResolvers<void>();
    const terminal = await sandbox.pty.create({
      columns: 80,
      rows: 5,
      onData: (bytes) => {
        shown += new TextDecoder().decode(bytes);
        if (shown.includes('42')) answered.resolve();
      },
    });
    await terminal.sendInput(new TextEncoder().encode('echo $((6*7))\r'));
    await answered.promise;
    const all = await backend.list();
    const storage = await sandbox.storage();
    return {
      stdout,
      exitCode,
      again: await sandbox.files.read('/home/user/x'),
      events: events.includes('snapshot'),
      runtimes: all.map(({ runtime }) => runtime),
      persisted: storage.persisted,
    };
  }, embedModule(site));
  expect(driven).toEqual({
    stdout: 'of the page',
    exitCode: 3,
    again: 'of the page',
    events: true,
    runtimes: ['shell'],
    persisted: false,
  });
  expect(violations).toEqual([]);
});

test('P-6 X-2 a replay is a picture for less than 40 KiB until it is played, and goes on live in the frame and in a sandbox', async ({
  page,
}) => {
  const steps = [{ run: 'echo one > sum.txt' }, { run: 'cat sum.txt' }, { run: 'echo the end' }];
  const bytes = await recordedSession(steps, { gzip: true });
  await using host = await serveHost(site, {
    files: new Map([['/session.cast.gz', bytes]]),
    body: `<coppice-replay recording="session.cast.gz" poster="1000" at="1"></coppice-replay>
      <coppice-sandbox recording="session.cast.gz" poster="1000" at="1" run="cat page sum.txt" label="Sums"><pre data-file="page">of the page</pre></coppice-sandbox>`,
  });
  const loaded = new Map<string, number>();
  page.on('response', async (response) => {
    const body = await response.body().catch(() => Buffer.alloc(0));
    loaded.set(response.url(), gzipSync(body).length);
  });
  await page.goto(elsewhere(host));
  await expect(page.locator('coppice-replay .screen')).toContainText('the end');
  const sizes = [...loaded].filter(([url]) => url !== elsewhere(host)).map(([, size]) => size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(40 * 1_024);
  const sandbox = page.locator('coppice-sandbox');
  await expect(sandbox.locator('.screen')).toContainText('the end');
  await expect(sandbox.getByRole('button')).toHaveText(['▶']);
  await page.getByRole('button', { name: 'Play A session' }).click();
  const frame = page.locator('coppice-replay iframe').contentFrame();
  await expect(frame.getByRole('region', { name: 'What the terminal shows' })).toContainText('one');
  await frame.getByRole('button', { name: 'Continue from here' }).click();
  const terminal = frame.locator('coppice-embed-terminal');
  await expect(terminal.locator('.xterm-rows')).toContainText('$');
  await terminal.click();
  await page.keyboard.insertText('cat sum.txt | tr a-z A-Z');
  await page.keyboard.press('Enter');
  await expect(terminal.locator('.xterm-rows')).toContainText('ONE');
  await frame.getByRole('button', { name: 'Back to the recording' }).click();
  await expect(frame.getByRole('slider', { name: 'Time' })).toBeVisible();

  // A sandbox that begins with a recording is one of the page, with its files, once its reader goes on.
  const inside = sandbox.locator('iframe').contentFrame();
  const shown = terminalOf(page, 'coppice-sandbox');
  await page.getByRole('button', { name: 'Play Sums' }).click();
  await inside.getByRole('button', { name: 'Continue from here' }).click();
  await sandbox.getByRole('button', { name: 'Run' }).click();
  await expect(shown).toContainText(/of the page\s*one/);
  await inside.locator('coppice-embed-terminal').click();
  await page.keyboard.insertText('rm sum.txt');
  await page.keyboard.press('Enter');
  await expect(sandbox.locator('.badge')).toBeVisible();
  await sandbox.getByRole('button', { name: 'Reset' }).click();
  await expect(sandbox.locator('.badge')).toBeHidden();
  // Going on once more replaces it.
  const idsOf = () =>
    sandbox.evaluate(async (element: CoppiceSandbox) => {
      const { connection, sandbox } = await element.start();
      return { now: sandbox.id, all: (await connection.backend.list()).map(({ id }) => id) };
    });
  const before = await idsOf();
  await inside.getByRole('button', { name: 'Back to the recording' }).click();
  await inside.getByRole('button', { name: 'Continue from here' }).click();
  await expect.poll(async () => (await idsOf()).now).not.toBe(before.now);
  const { all, now } = await idsOf();
  expect(all).toEqual([now]);
});

test('P-6 ten embeds share one worker, load nothing before they are seen, and end with their elements', async ({
  page,
}) => {
  await using host = await serveHost(site, {
    body: Array.from(
      { length: 10 },
      (_, index) =>
        `<canvas height="1200"></canvas><coppice-sandbox id="s${index}" run="echo embed ${index} >> f; cat f"></coppice-sandbox>`,
    ).join(''),
  });
  await page.goto(elsewhere(host));
  await page.waitForFunction(() => customElements.get('coppice-sandbox') !== undefined);
  expect(page.frames()).toHaveLength(1);
  await page.evaluate(() =>
    Promise.all(
      [...document.querySelectorAll<CoppiceSandbox>('coppice-sandbox')].map((element) =>
        element.runCommand(),
      ),
    ),
  );
  // What is not seen is not drawn.
  const shows = async (index: number) => {
    await page.locator(`#s${index}`).scrollIntoViewIfNeeded();
    await expect(terminalOf(page, `#s${index}`)).toContainText(`embed ${index}`);
  };
  for (const index of [0, 4, 9]) await shows(index);
  // Each has its own files; one worker has them all.
  const names = page.workers().map((worker) => worker.evaluate(() => self.name));
  expect(await Promise.all(names)).toEqual(['shells']);
  // What is taken out of the page leaves the others alone.
  await page.evaluate(() => document.querySelector('#s0')?.remove());
  await page.locator('#s9').getByRole('button', { name: 'Run' }).click();
  await expect(terminalOf(page, '#s9')).toContainText(/embed 9.*embed 9.*embed 9/s);
});

test('P-6 S-6 a page that is of the same site as the user’s sandboxes reaches those of its own embed only', async ({
  page,
}) => {
  // Another port of `localhost` is another origin, and shares the site’s storage.
  await using host = await serveHost(site, { body: '' });
  await page.goto(`${site.url}webcontainer-history.js`);
  const users = await page.evaluate(async (module) => {
    const { Sandbox }: typeof import('../../web/app/coppice.ts') = await import(module);
    localStorage.setItem('coppice.bridges', '[{"token":"secret"}]');
    const sandbox = await Sandbox.create({ runtime: 'shell', name: 'of the user' });
    await sandbox.run('echo secret > note');
    const head = await sandbox.createSnapshot({ label: 'private' });
    await sandbox.close();
    return { sandbox: sandbox.id, snapshot: head.id };
  }, `${site.url}coppice.js`);
  const attacker = await page.context().newPage();
  await attacker.goto(host.url);
  const tried = await attacker.evaluate(
    async ({ module, frame: address, users }) => {
      const { connectEmbed }: typeof import('../../web/embed/index.ts') = await import(module);
      const frame = document.createElement('iframe');
      frame.src = address;
      document.body.append(frame);
      const { backend } = await connectEmbed(frame);
      const fails = (work: Promise<unknown>): Promise<string> =>
        work.then(
          (value) => `reached ${JSON.stringify(value)}`,
          (error: { code?: string }) => String(error.code),
        );
      const own = await backend.create({ runtime: 'shell' }, () => {});
      const other = { sandbox: users.sandbox, snapshot: users.snapshot };
      return {
        list: (await backend.list()).map(({ name }) => name),
        open: await fails(backend.open({ id: users.sandbox }, () => {})),
        readOnly: await fails(backend.open({ id: users.sandbox, readOnly: true }, () => {})),
        connect: await fails(backend.connect({ id: users.sandbox })),
        export: await fails(backend.exportTar({ id: users.sandbox })),
        from: await fails(backend.create({ from: other }, () => {})),
        delete: await fails(backend.delete({ id: users.sandbox })),
        rename: await fails(Promise.resolve(backend.rename?.({ id: users.sandbox, name: 'x' }))),
        diff: await fails(own.history.diff({ from: 'now', to: other })),
        // The frame asks no server, its own included, as this origin.
        git: await fails(
          own.git.clone(
            { url: `${new URL(address).origin}/repository.git`, directory: '/home/user/x' },
            () => {},
          ),
        ),
      };
    },
    { module: embedModule(site), frame: `${site.url}embed/#client`, users },
  );
  expect(tried).toEqual({
    list: [expect.not.stringContaining('user')],
    open: 'not-found',
    readOnly: 'not-found',
    connect: 'not-found',
    export: 'not-found',
    from: 'not-found',
    delete: 'not-found',
    rename: 'unsupported',
    diff: 'not-found',
    git: expect.stringMatching(/forbidden|unsupported/),
  });
  // Nothing of an embed is left in the site’s storage, and what the user has is as it was.
  const after = await page.evaluate(
    async ({ module, id }) => {
      const { Sandbox }: typeof import('../../web/app/coppice.ts') = await import(module);
      const sandbox = await Sandbox.open(id);
      const { stdout } = await sandbox.run('cat note');
      return { stdout, names: (await Sandbox.list()).map(({ name }) => name) };
    },
    { module: `${site.url}coppice.js`, id: users.sandbox },
  );
  expect(after).toEqual({ stdout: 'secret\n', names: ['of the user'] });
});

test('P-6 S-6 a hostile page gets nothing from a frame by garbage, by speaking for another, or by its shape', async ({
  page,
}) => {
  await using host = await serveHost(site, { body: '' });
  await page.goto(elsewhere(host));
  const answers = await page.evaluate(async (address) => {
    const frame = document.createElement('iframe');
    frame.src = address;
    const heard: unknown[] = [];
    const ready = new Promise((resolve) =>
      addEventListener('message', ({ data, source }) => {
        if (source !== frame.contentWindow) return;
        if (data.type === 'coppice-embed:ready') resolve(data);
        else heard.push(data);
      }),
    );
    document.body.append(frame);
    await ready;
    const target = frame.contentWindow as Window;
    for (const data of [
      null,
      7,
      { type: 'coppice-embed:connect' },
      { type: 'constructor' },
      new ArrayBuffer(8),
    ])
      target.postMessage(data, '*');
    for (let index = 0; index < 2_000; index++)
      target.postMessage({ type: 'coppice-embed:connect', version: 1 }, '*');
    // As comlink would take it: a path to a function of the frame's, and a script for that.
    const [wire, view] = [new MessageChannel(), new MessageChannel()];
    const spoken: unknown[] = [];
    const answered = new Promise((resolve) => {
      for (const { port1 } of [wire, view])
        port1.onmessage = ({ data }) => {
          if (data.type === 'height') return;
          spoken.push(data);
          resolve(data);
        };
    });
    target.postMessage({ type: 'coppice-embed:connect', version: 1 }, '*', [wire.port2, view.port2]);
    const call = {
      id: '1',
      type: 'APPLY',
      path: ['create', 'constructor'],
      argumentList: [{ type: 'RAW', value: 'top.postMessage("ran", "*")' }],
    };
    wire.port1.postMessage(call);
    view.port1.postMessage(call);
    view.port1.postMessage({ type: 'show', sandboxes: [{ id: '__proto__' }, null, 7] });
    view.port1.postMessage({
      type: 'look',
      look: { properties: { 'background-image': 'url(https://evil.example)', '--cp-ground': 'red' } },
    });
    await answered;
    return { heard, spoken };
  }, `${site.url}embed/#client`);
  expect(answers).toEqual({
    heard: [],
    spoken: [{ type: 'problem', message: 'This embed has no sandbox "__proto__"' }],
  });
  // It goes on serving the page that speaks properly.
  const works = await page.evaluate(async (module) => {
    const { connectEmbed }: typeof import('../../web/embed/index.ts') = await import(module);
    const frame = document.querySelector('iframe');
    if (!frame) return [];
    const problem = Promise.withResolvers<string>();
    const { backend, view } = await connectEmbed(frame, {
      onEvent: (event) => event.type === 'problem' && problem.resolve(event.message),
    });
    const connection = await backend.create({ runtime: 'shell' }, () => {});
    const { runtime, id } = await connection.info.get();
    // Its shell ends before anything is typed: another one would, too.
    const bytes = new TextEncoder().encode('exit 3\n');
    await connection.files.write({ path: '/home/user/.profile', bytes });
    view.show([{ id, title: '' }]);
    const ended = await problem.promise;
    // What waits for a frame that goes away is told.
    const waiting = connection.processes
      .exec({ command: 'sleep 100' }, () => {})
      .then(() => connection.files.read({ path: '/none' }));
    const beside = document.createElement('iframe');
    beside.src = frame.src;
    document.body.append(beside);
    frame.remove();
    const lost = await Promise.race([waiting, connection.info.get()]).catch(({ code }) => code);
    return [runtime, ended, lost];
  }, embedModule(site));
  expect(works).toEqual(['shell', 'The shell ended before anything was typed', 'connection-lost']);
  // A frame at another origin than the page expects is not believed, and a page that leaves takes the embed with it.
  const refused = await page.evaluate(async (module) => {
    const { connectEmbed }: typeof import('../../web/embed/index.ts') = await import(module);
    const frame = document.querySelector('iframe');
    const signal = AbortSignal.timeout(1_500);
    return (
      frame &&
      connectEmbed(frame, { origin: 'https://coppice.example', signal }).then(
        () => 'believed',
        ({ code }) => code,
      )
    );
  }, embedModule(site));
  expect(refused).toBe('aborted');
  await page.goto('about:blank');
  await expect.poll(() => page.workers().length).toBe(0);
});
