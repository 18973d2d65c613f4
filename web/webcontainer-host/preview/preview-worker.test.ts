import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hostLimits } from '../limits.ts';

type Listener = (event: {
  readonly request: Request;
  readonly clientId: string;
  respondWith(response: Promise<Response>): void;
}) => void;

const origin = 'https://preview.example';
let listen: Listener;
let ports: MessagePort[];

beforeEach(async () => {
  vi.resetModules();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  ports = [];
  const shell = {
    url: `${origin}/coppice-preview/`,
    postMessage: (_message: unknown, [port]: MessagePort[]) => port && ports.push(port),
  };
  vi.stubGlobal('addEventListener', (type: string, listener: Listener) => {
    if (type === 'fetch') listen = listener;
  });
  vi.stubGlobal('location', { origin });
  vi.stubGlobal('clients', { get: async () => undefined, matchAll: async () => [shell] });
  await import('./preview-worker.ts');
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  for (const port of ports) port.close();
});

async function ask(init: RequestInit = {}): Promise<{ response: Promise<Response>; port: MessagePort }> {
  const responses: Promise<Response>[] = [];
  const request = new Request(`${origin}/page`, init);
  listen({ request, clientId: '', respondWith: (response) => void responses.push(response) });
  await vi.waitUntil(() => ports.length > 0, { timeout: 120_000 });
  return { response: responses[0] as Promise<Response>, port: ports[0] as MessagePort };
}

test('C-7 an answer that no response can be is an error of the preview, and so is none at all', async () => {
  const { response, port } = await ask();
  const cancelled = new Promise((resolve) => {
    port.onmessage = ({ data }) => data === 'cancel' && resolve(data);
  });
  port.postMessage({ type: 'head', status: 200, statusText: 'O\u0001K', headers: [] });
  expect((await response).status).toBe(502);
  expect(await cancelled).toBe('cancel');
  ports = [];
  const silent = await ask();
  await vi.advanceTimersByTimeAsync(hostLimits.previewHeadMs + hostLimits.answerMs);
  expect((await silent.response).status).toBe(504);
});

test('C-7 a request that the page gives up is cancelled where its answer has not begun', async () => {
  const leaving = new AbortController();
  const { response, port } = await ask({ signal: leaving.signal });
  const cancelled = new Promise((resolve) => {
    port.onmessage = ({ data }) => resolve(data);
  });
  leaving.abort();
  expect(await cancelled).toBe('cancel');
  expect((await response).type).toBe('error');
});
