import { mkdtemp, rm } from 'node:fs/promises';
import { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { RelayServer } from './relay-server.ts';

test('S-6 connections of jails that cannot be accepted, as without descriptors, end nothing but themselves', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-relay-'));
  const listen = vi.spyOn(Server.prototype, 'listen');
  try {
    await using _server = await RelayServer.open(join(folder, 'relay'), () => {});
    const [server] = listen.mock.contexts as [Server];
    // An event of errors that nobody listens for throws, which would end the process.
    const failAccepting = () => server.emit('error', new Error('accept EMFILE'));
    expect([failAccepting(), failAccepting()]).toEqual([true, true]);
  } finally {
    listen.mockRestore();
    await rm(folder, { recursive: true });
  }
});
