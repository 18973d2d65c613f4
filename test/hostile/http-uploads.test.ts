import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tarOf } from '../fixtures/hostile-tars.ts';
import { openTestBridge, type TestBridge, testTokens } from '../http/test-bridge.ts';
import { uncaughtErrors } from '../uncaught-errors.ts';

let there: TestBridge;
beforeEach(async () => {
  there = await openTestBridge();
});
afterEach(() => there[Symbol.asyncDispose]());

const archivePath = '/v1/sandboxes/box-1/archive?path=/srv';

/** Sandboxes take what is written to them a piece in 2 ms, so that the bridge's own buffers are full. */
function takeSlowly({ backend }: TestBridge): void {
  backend.onOpen = (sandbox) => {
    sandbox.onExec = async (process) => {
      process.write = () => new Promise((resolve) => setTimeout(resolve, 2));
    };
  };
}

/** An upload whose body has begun, and does not go on. */
async function beginUpload(token: string, path: string): Promise<Socket> {
  const socket = connect(Number(new URL(there.bridge.url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `PUT ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Length: 1000\r\n\r\nx`,
  );
  return socket;
}

describe('S-6 uploads', () => {
  test('B2 38: a small gzip that becomes much and is refused in its middle leaves no error that nobody catches', async () => {
    takeSlowly(there);
    const zeros = '\0'.repeat(2 ** 19);
    const body = gzipSync(tarOf({ path: 'zeros', content: zeros }, { path: '../evil', content: zeros }));
    const statuses: number[] = [];
    const uncaught = await uncaughtErrors(async () => {
      for (let count = 0; count < 10; count++) {
        const answer = await there.request(archivePath, { method: 'PUT', body: new Uint8Array(body) });
        statuses.push(answer.status);
        await answer.body?.cancel();
      }
    });
    expect([statuses, uncaught]).toEqual([Array(10).fill(400), []]);
    expect((await there.request('/health')).status).toBe(200);
  });

  test('archives that have only begun hold no memory that others need', async () => {
    const opened = await Promise.all(
      Array.from({ length: 20 }, () => beginUpload(testTokens.one, archivePath)),
    );
    while (there.backend.opened.length === 0 || there.backend.sandbox('box-1').runs.length < 20) {
      await there.request('/health');
    }
    const file = '/v1/sandboxes/box-2/files?path=/tmp/a';
    expect((await there.request(file, { method: 'PUT', body: 'a' })).status).toBe(204);
    for (const socket of opened) socket.destroy();
  });
});
