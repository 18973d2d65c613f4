import { afterAll, beforeAll, expect } from 'vitest';
import type { PortConnection } from '../../../sdk/network.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { SuiteTests } from './suite-tests.ts';

/** Sends back what comes, connection after connection, once the other side has said all: an upper-case copy of it. */
const server = `
import socket, sys
listener = socket.create_server(('127.0.0.1', int(sys.argv[1])), backlog=16)
print('listening', flush=True)
while True:
    peer, _ = listener.accept()
    said = b''
    with peer:
        try:
            while piece := peer.recv(65536):
                said += piece
            peer.sendall(said.upper())
        except OSError:
            pass
`;
const port = 8_080;

/** Ports of programs, as whoever has the sandbox reaches them. */
export function portsSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  tests.describe('ports', (test) => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      sandbox = await openSandbox();
      await sandbox.files.write('/home/user/server.py', server);
    });
    afterAll(() => sandbox?.close());

    /** Resolves once the server listens. */
    async function listen(): Promise<void> {
      const listening = Promise.withResolvers<void>();
      await sandbox.commands.run(['python3', '/home/user/server.py', `${port}`], {
        background: true,
        onStdout: () => listening.resolve(),
      });
      await listening.promise;
    }

    test('B-1 S-1 bytes go to a program that listens and come back, each direction to its own end', async () => {
      await listen();
      await using connection = await sandbox.network.connect(port);
      await connection.write('hello ');
      await connection.write('there');
      await connection.end();
      expect(await textOf(connection)).toBe('HELLO THERE');
    });

    test('S-6 more bytes than any window holds arrive whole, by several connections at once', async () => {
      const sent = 'abcdefgh'.repeat(262_144);
      const copies = [1, 2, 3].map(async () => {
        await using connection = await sandbox.network.connect(port);
        await connection.write(sent);
        await connection.end();
        return await textOf(connection);
      });
      for (const copy of await Promise.all(copies)) expect(copy === sent.toUpperCase()).toBe(true);
    });

    test('a port on which nothing listens is not found', async () => {
      await expect(sandbox.network.connect(9)).rejects.toMatchObject({ code: 'not-found' });
    });

    test('H-8 a connection that is closed is gone for the program too', async () => {
      const connection = await sandbox.network.connect(port);
      await connection.close();
      await expect(connection.read()).rejects.toMatchObject({ code: 'connection-lost' });
      // The server takes one at a time: it goes on with the next only when that one has ended.
      await using next = await sandbox.network.connect(port);
      await next.write('next');
      await next.end();
      expect(await textOf(next)).toBe('NEXT');
    });

    test('H-5 going back ends a connection to what no longer runs', async () => {
      const before = await sandbox.createSnapshot({ label: 'before' });
      await using connection = await sandbox.network.connect(port);
      const reading = expect(connection.read()).rejects.toMatchObject({ code: 'connection-lost' });
      await sandbox.checkout(before.id);
      await reading;
      await expect(sandbox.network.connect(port)).rejects.toMatchObject({ code: 'not-found' });
    });
  });
}

async function textOf(connection: PortConnection): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of connection) text += decoder.decode(bytes, { stream: true });
  return text;
}
