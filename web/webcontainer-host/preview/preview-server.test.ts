import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Network, PortConnection } from '../../../sdk/network.ts';
import { hostLimits } from '../limits.ts';
import type { PreviewAnswer } from './preview-messages.ts';
import { PreviewServer } from './preview-server.ts';

/** A server in a sandbox that takes a connection, and says `pieces` before it falls silent. */
function silentServer(pieces: readonly string[] = []) {
  const closed: string[] = [];
  let count = 0;
  const connect = async () => {
    const name = `${count++}`;
    const waiting = pieces.map((piece) => new TextEncoder().encode(piece));
    return {
      read: () => (waiting.length > 0 ? Promise.resolve(waiting.shift()) : new Promise(() => undefined)),
      write: async () => undefined,
      close: async () => void closed.push(name),
    } as unknown as PortConnection;
  };
  return { closed, connect, network: { connect } as unknown as Network };
}

function serve(network: Network) {
  const { port1, port2 } = new MessageChannel();
  const told: unknown[] = [];
  port2.onmessage = ({ data }) => void told.push(data.type);
  const server = new PreviewServer(port1, {
    ...{
      network,
      port: 3000,
      embedder: 'https://app.example',
      forward: false,
      script: () => undefined,
      onReport: () => undefined,
    },
  });
  const ask = () => {
    const { port1: page, port2: answer } = new MessageChannel();
    const answers: PreviewAnswer[] = [];
    page.onmessage = ({ data }) => void answers.push(data);
    port2.postMessage({ type: 'request', method: 'GET', path: '/', headers: [], body: undefined }, [answer]);
    return { page, answers };
  };
  const end = () => {
    server.close();
    port2.close();
  };
  return { server, ask, told, end };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => vi.useRealTimers());

/** Messages of ports come between timers, which stand still here. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

test('C-7 a server that does not answer is an error in time, and its connection is closed', async () => {
  const { network, closed } = silentServer(['HTTP/1.1 103 Early Hints\r\n\r\n']);
  const { ask, end } = serve(network);
  const { answers, page } = ask();
  await until(() => vi.getTimerCount() > 0);
  await vi.advanceTimersByTimeAsync(hostLimits.previewHeadMs);
  await until(() => answers.length > 0 && closed.length > 0);
  expect(answers).toEqual([{ type: 'failure', message: 'The server did not answer within 120 seconds' }]);
  page.close();
  end();
});

test('C-7 a page that leaves a request frees it, before its head and after', async () => {
  for (const pieces of [[], ['HTTP/1.1 200 OK\r\n\r\n']]) {
    const { network, closed } = silentServer(pieces);
    const { ask, end } = serve(network);
    const pages = Array.from({ length: hostLimits.previewRequests }, () => ask());
    const busy = ask();
    await until(() => busy.answers.length > 0);
    expect(busy.answers).toMatchObject([{ type: 'failure', message: expect.stringContaining('too many') }]);
    await until(() => pages.every(({ answers }) => answers.length === pieces.length));
    for (const { page } of pages) page.postMessage('cancel');
    await until(() => closed.length === pages.length);
    const { answers, page } = ask();
    await until(() => answers.length === pieces.length);
    end();
    await until(() => answers.length === pieces.length + 1);
    expect(answers.at(-1)).toMatchObject({ type: 'failure', message: expect.stringContaining('no more') });
    for (const other of [page, busy.page, ...pages.map((asked) => asked.page)]) other.close();
  }
});

test('C-7 a preview that is closed tells its page, and a reader that pauses for too long is told', async () => {
  const { network } = silentServer(['HTTP/1.1 200 OK\r\n\r\n', 'body']);
  const { ask, told, end, server } = serve(network);
  const { answers, page } = ask();
  await until(() => answers.length === 1);
  page.postMessage('pull');
  await until(() => answers.length === 2);
  await vi.advanceTimersByTimeAsync(hostLimits.previewIdleMs);
  await until(() => answers.length === 3);
  expect(answers.map(({ type }) => type)).toEqual(['head', 'piece', 'failure']);
  server.close();
  await until(() => told.length === 2);
  expect(told).toEqual(['ready', 'closed']);
  page.close();
  end();
});
