import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { NetworkLog } from '../../protocol/network-log.ts';
import { imageRoot } from './jail/image-root.ts';
import { whatNetworkLacks } from './network/what-network-lacks.ts';

const script = fileURLToPath(new URL('./network/reach-denied.ts', import.meta.url));
const execute = promisify(execFile);
const lack = (await whatNetworkLacks()) ?? (await whatNamespaceLacks());

/** Why this host cannot give a test a network of its own, with addresses of all kinds. */
async function whatNamespaceLacks(): Promise<string | undefined> {
  try {
    await execute('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up']);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

interface Answers {
  readonly results: Readonly<Record<string, { readonly fromHost: string; readonly fromJail: string }>>;
  readonly log: NetworkLog;
}

describe.skipIf(lack)(`S-8 what a jail with a network is denied${lack ? ` (not here: ${lack})` : ''}`, () => {
  let root: string;
  beforeAll(async () => {
    root = await imageRoot();
  });

  async function reach(addresses: readonly string[], allow: readonly string[] = []): Promise<Answers> {
    const args = [script, root, JSON.stringify(addresses), JSON.stringify(allow)];
    const { stdout } = await execute('unshare', ['--net', process.execPath, ...args]);
    return JSON.parse(stdout) as Answers;
  }

  /** Each is one of the host's own, and answers it. */
  const denied = {
    '10.0.0.1': 'it is no public address',
    '172.16.0.1': 'it is no public address',
    '172.31.255.254': 'it is no public address',
    '192.168.1.1': 'it is no public address',
    '169.254.169.254': 'it is no public address',
    '169.254.1.1': 'it is no public address',
    '100.64.0.1': 'it is no public address',
    '100.100.100.200': 'it is no public address',
    '192.0.0.192': 'it is no public address',
    '198.18.0.1': 'it is no public address',
    '203.0.113.9': 'it is no public address',
    // A public one, by which the host itself can be reached, and its bridge.
    '140.82.121.4': 'it is an address of this host',
  };

  test('are private ranges, metadata services and the host itself, each of which the host reaches', async () => {
    const addresses = Object.keys(denied);
    const { results, log } = await reach(addresses);
    const expected = addresses.map((address) => [address, { fromHost: 'here', fromJail: 'ECONNRESET' }]);
    expect(results).toEqual(Object.fromEntries(expected));
    const told = log.flows.map(({ address, port, verdict, why }) => ({ address, port, verdict, why }));
    const denials = Object.entries(denied).map(([address, why]) => ({
      ...{ address, port: 8_080, verdict: 'denied', why },
    }));
    expect(told).toEqual(denials);
  });

  test('is not what the operator opens, and nothing beside it', async () => {
    const here = { fromHost: 'here', fromJail: 'here' };
    const reset = { fromHost: 'here', fromJail: 'ECONNRESET' };
    const { results } = await reach(
      ['10.1.2.1', '10.1.3.1', '140.82.121.4', '140.82.121.5'],
      ['10.1.2.0/24', '140.82.121.4'],
    );
    expect(results).toEqual({
      ...{ '10.1.2.1': here, '10.1.3.1': reset, '140.82.121.4': here, '140.82.121.5': reset },
    });
  });
});
