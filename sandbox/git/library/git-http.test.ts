import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { GitHttp } from './git-http.ts';

/** A server on the loopback; resolves to its URL, and how many answers are open. */
async function openServer(listener: RequestListener): Promise<{ url: string; open: () => number }> {
  let open = 0;
  const server = createServer((request, response) => {
    open++;
    response.once('close', () => open--);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, open: () => open };
}

function openHttp(servers?: readonly string[]): GitHttp {
  const signal = new AbortController().signal;
  const http = new GitHttp({ proxy: undefined, servers, signal, onBytes: () => {} });
  onTestFinished(() => http.close());
  return http;
}

test('I-3 H-9 an answer of which nothing is read, such as a refusal without an end, is closed', async () => {
  const { url, open } = await openServer((_, response) => {
    response.writeHead(401).write('sign in');
  });
  const answer = await openHttp().request({ url: `${url}/a.git/info/refs?service=git-upload-pack` });
  expect(answer.statusCode).toBe(401);
  await expect.poll(open).toBe(0);
  expect(await answer.body.next()).toEqual({ done: true, value: undefined });
});

test('I-3 H-9 the end of an exchange closes the answers that are not read to their end', async () => {
  const { url, open } = await openServer((_, response) => {
    response.writeHead(200).write('begun');
  });
  const http = openHttp();
  const { body } = await http.request({ url: `${url}/a.git/info/refs?service=git-upload-pack` });
  expect(new TextDecoder().decode((await body.next()).value)).toBe('begun');
  const next = body.next();
  http.close();
  expect(await next).toEqual({ done: true, value: undefined });
  await expect.poll(open).toBe(0);
});

test('S-6 a list of servers holds for where a server leads, too', async () => {
  const asked: (string | undefined)[] = [];
  const { url } = await openServer((request, response) => {
    asked.push(request.headers.host);
    response.writeHead(302, { location: `https://127.0.0.1:1${request.url}` }).end();
  });
  const { host } = new URL(url);
  const question = { url: `${url}/a.git/info/refs?service=git-upload-pack` };
  await expect(openHttp([host]).request(question)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(openHttp(['git.example.org']).request(question)).rejects.toMatchObject({ code: 'forbidden' });
  expect(asked).toEqual([host]);
});
