import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Host, openHost } from '../../bridge-server/main/open-host.ts';
import type { Violation } from '../../sdk/command-hooks.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { addLoopbackAddress, whatLoopbackLacks } from './network/loopback-address.ts';
import { openNameServer } from './network/name-server.ts';
import { whatNetworkLacks } from './network/what-network-lacks.ts';
import { makeTestFolder } from './open-test-host.ts';

const lack = (await whatNetworkLacks()) ?? (await whatLoopbackLacks());
const why = 'it is not on the list of this sandbox';

describe.skipIf(lack)(
  `S-8 a sandbox with a list of what it reaches${lack ? ` (not here: ${lack})` : ''}`,
  () => {
    const stack = new AsyncDisposableStack();
    let host: Host;
    let address: string;
    let ports: readonly [number, number];

    beforeAll(async () => {
      const { options } = stack.use(await makeTestFolder('overlay'));
      ({ address } = stack.use(await addLoopbackAddress()));
      const bytes = address.split('.').map(Number);
      const records = { 1: [bytes] };
      const names = stack.use(
        await openNameServer({ 'listed.test': records, 'a.below.test': records, 'other.test': records }),
      );
      ports = [await listen(), await listen()];
      const network = { allow: [address], nameServers: [names.address] };
      host = stack.use(await openHost({ ...options, network }));
    });
    afterAll(() => stack.disposeAsync());

    /** A server outside that says hello. */
    async function listen(): Promise<number> {
      const server = createServer((socket) => socket.on('error', () => undefined).end('hello\n'));
      await once(server.listen(0, address), 'listening');
      stack.defer(() => void server.close());
      return (server.address() as AddressInfo).port;
    }

    /** What a server at a name or address says, or `no`. */
    async function greet(sandbox: Sandbox, at: string, port: number): Promise<string> {
      const script = `exec 3<>/dev/tcp/${at}/${port} && read -r line <&3 && echo "$line" || echo no`;
      return (await sandbox.run(['bash', '-c', `(${script}) 2> /dev/null || echo no`])).stdout.trim();
    }

    test('finds and reaches the names on it, at their ports, and nothing else; so does a fork', async () => {
      const { backend } = host;
      const allow = [`listed.test:${ports[0]}`, '*.below.test'];
      const violations: Violation[] = [];
      const hooks = { onViolation: (violation: Violation) => void violations.push(violation) };
      await using sandbox = await Sandbox.create({ backend, network: 'full', allow, hooks });
      expect(sandbox.info).toMatchObject({ network: 'full', allow });
      // Where it is was not found by a name yet.
      expect(await greet(sandbox, address, ports[0])).toBe('no');
      expect(await greet(sandbox, 'other.test', ports[0])).toBe('no');
      expect(await greet(sandbox, 'listed.test', ports[0])).toBe('hello');
      expect(await greet(sandbox, address, ports[0])).toBe('hello');
      expect(await greet(sandbox, 'listed.test', ports[1])).toBe('no');
      expect(await greet(sandbox, 'a.below.test', ports[1])).toBe('hello');
      expect(await greet(sandbox, 'below.test', ports[1])).toBe('no');
      const { flows } = await sandbox.network.log();
      expect(flows.filter(({ verdict }) => verdict === 'denied')).toMatchObject([
        { type: 'connection', address, port: ports[0], why },
        { type: 'question', name: 'other.test', why },
        { type: 'connection', name: 'listed.test', address, port: ports[1], why },
        { type: 'question', name: 'below.test', why },
      ]);
      expect(violations.map(({ type }) => type)).toContain('network');
      expect(violations.at(-1)).toMatchObject({ type: 'network', flow: { name: 'below.test', why } });
      const [fork] = await sandbox.fork();
      if (!(fork instanceof Sandbox)) throw fork ?? new Error('Nothing was forked');
      await using _fork = fork;
      expect(fork.info.allow).toEqual(allow);
      expect(await greet(fork, address, ports[1])).toBe('no');
      expect(await greet(fork, 'a.below.test', ports[1])).toBe('hello');
    });
  },
);
