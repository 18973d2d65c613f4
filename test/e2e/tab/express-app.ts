import type { Locator, Page } from '@playwright/test';
import type { FileSystemTree, WebContainer as WebContainerClass } from '@webcontainer/api';
import { packRegistry, registryServer, registryUrl } from '../../fixtures/package-registry.ts';

// What there is in the application's page: the package, and after `bootExpress` what it has booted.
declare const WebContainer: typeof WebContainerClass;
declare const container: WebContainerClass;

const server = `
const { readFile } = require('node:fs/promises');
const express = require('express');
const app = express();
app.get('/', async (_request, response) => {
  response.type('html').send('<!doctype html><h1>' + (await readFile('greeting.txt', 'utf8')) + '</h1>');
});
app.listen(3000, () => console.log('listening'));
`;

/** The files that the application mounts: its own, and where it is said a registry's folder with Express. Contents are base64. */
export function expressFiles(express: 'in-registry' | 'alone'): Readonly<Record<string, string>> {
  const own = {
    'package.json': JSON.stringify({
      ...{ name: 'greeter', version: '1.0.0', private: true },
      scripts: { start: 'node server.js' },
      dependencies: { express: '*' },
    }),
    'server.js': server,
    'greeting.txt': 'one',
  };
  const registry = {
    '.npmrc': `registry=${registryUrl}\naudit=false\nfund=false\nupdate-notifier=false\n`,
    'registry.cjs': registryServer,
  };
  const toBase64 = (entries: Iterable<readonly [string, string | Uint8Array]>) =>
    Object.fromEntries(
      [...entries].map(([path, content]) => [path, Buffer.from(content).toString('base64')]),
    );
  if (express === 'alone') return toBase64(Object.entries(own));
  const packed = [...packRegistry(['express'])].map(([name, bytes]) => [`registry/${name}`, bytes] as const);
  return toBase64([...Object.entries({ ...own, ...registry }), ...packed]);
}

/** In the application's page: boots `container`, mounts the files and opens its history, `past`. */
export async function bootExpress({
  files,
  history,
}: {
  readonly files: Readonly<Record<string, string>>;
  /** The text of the host's `webcontainer-history.js`. */
  readonly history: string;
}): Promise<void> {
  const booted = await WebContainer.boot();
  const tree: FileSystemTree = {};
  for (const [path, content] of Object.entries(files)) {
    const names = path.split('/');
    const name = names.pop() ?? '';
    let directory = tree;
    for (const above of names) {
      const node = directory[above];
      const inside = node && 'directory' in node ? node.directory : {};
      directory[above] = { directory: inside };
      directory = inside;
    }
    const contents = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
    directory[name] = { file: { contents } };
  }
  await booted.mount(tree);
  const url = URL.createObjectURL(new Blob([history], { type: 'text/javascript' }));
  const { openHistory }: typeof import('../../../web/webcontainer-host/history/open-history.ts') =
    await import(url);
  Object.assign(globalThis, { container: booted, past: await openHistory() });
}

/**
 * In the application's page: installs, from the registry's folder if that was mounted. Answers how that ended, and what npm
 * printed.
 */
export async function installExpress(
  from: 'folder' | 'host',
): Promise<{ exitCode: number; printed: string }> {
  const registry = from === 'folder' ? await container.spawn('node', ['registry.cjs']) : undefined;
  const ready = Promise.withResolvers<void>();
  void registry?.output.pipeTo(
    new WritableStream({ write: (text) => (text.includes('ready') ? ready.resolve() : undefined) }),
  );
  if (registry) await ready.promise;
  const install = await container.spawn('npm', ['install']);
  let printed = '';
  const shown = install.output.pipeTo(
    new WritableStream({
      write: (text) => {
        printed += text;
      },
    }),
  );
  const exitCode = await install.exit;
  await shown;
  registry?.kill();
  await registry?.exit;
  return { exitCode, printed };
}

/** In the application's page: starts the server by a command, and shows what it serves in a frame of class `preview`. */
export async function showExpress(command: readonly [string, ...string[]]): Promise<void> {
  const ready = Promise.withResolvers<string>();
  const unsubscribe = container.on('server-ready', (port, url) => {
    if (port === 3000) ready.resolve(url);
  });
  const [program, ...args] = command;
  const process = await container.spawn(program, args);
  let printed = '';
  const write = (text: string) => {
    printed += text;
  };
  void process.output.pipeTo(new WritableStream({ write }));
  void process.exit.then((exitCode) => ready.reject(new Error(`The server ended (${exitCode}): ${printed}`)));
  const frame = document.createElement('iframe');
  frame.className = 'preview';
  frame.src = await ready.promise;
  unsubscribe();
  document.querySelector('iframe.preview')?.remove();
  document.body.append(frame);
}

/** What the frame of the preview shows, which the host has put into another one. */
export function greeting(page: Page): Locator {
  return page.frameLocator('iframe.preview').frameLocator('iframe').locator('h1');
}
