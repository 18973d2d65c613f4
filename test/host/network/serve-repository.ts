import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Serves a repository as files, which git's plain HTTP protocol is content with: `URL/work.git`, with one commit. */
export async function serveRepository(address: string): Promise<AsyncDisposable & { readonly url: string }> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'coppice-repository-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const work = join(folder, 'work');
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (cwd: string, ...args: string[]) => execute('git', args, { cwd, env });
  await git(folder, 'init', '--quiet', work);
  await writeFile(join(work, 'note'), 'kept\n');
  await git(work, 'add', 'note');
  await git(
    work,
    '-c',
    'user.name=S',
    '-c',
    'user.email=s@example.org',
    'commit',
    '--quiet',
    '--message',
    'first',
  );
  await git(folder, 'clone', '--quiet', '--bare', work, 'work.git');
  await git(join(folder, 'work.git'), 'update-server-info');
  const server = createServer((request, answer) => {
    const { pathname } = new URL(request.url ?? '/', 'http://repository');
    readFile(join(folder, normalize(pathname))).then(
      (bytes) => answer.end(bytes),
      () => answer.writeHead(404).end(),
    );
  }).listen(0, address);
  await once(server, 'listening');
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const owned = stack.move();
  const { port } = server.address() as AddressInfo;
  return { url: `http://${address}:${port}`, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
