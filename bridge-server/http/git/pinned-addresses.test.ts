import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NameRecords, type NameServer, openNameServer } from '../../../test/host/network/name-server.ts';
import { isPublicAddress } from '../../network/public-address.ts';
import { askNameServers, pinAddresses } from './pinned-addresses.ts';

const records: NameRecords = {
  'both.test': { 1: [[140, 82, 121, 4]], 28: [[0x26, 0x06, ...Array<number>(13).fill(0), 1]] },
  'half.test': { 1: [[140, 82, 121, 4]], 28: [[...Array<number>(15).fill(0), 1]] },
  'second.test': {
    1: [
      [140, 82, 121, 4],
      [10, 0, 0, 1],
    ],
  },
};

let server: NameServer;
beforeAll(async () => {
  server = await openNameServer(records);
});
afterAll(() => server[Symbol.dispose]());

const pin = (name: string, signal: AbortSignal = new AbortController().signal) =>
  pinAddresses(name, { resolve: askNameServers([server.address]), mayReach: isPublicAddress, signal });

describe('S-6 B2-28 the addresses that the git proxy connects to', () => {
  test('are all that name servers give to a name', async () => {
    expect(await pin('both.test')).toEqual([
      { address: '140.82.121.4', family: 4 },
      { address: '2606::1', family: 6 },
    ]);
  });

  test('are none when one of them is not public, whichever it is', async () => {
    await expect(pin('half.test')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(pin('second.test')).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('are none of a name that only this host knows', async () => {
    for (const name of ['localhost', 'absent.test']) {
      await expect(pin(name)).rejects.toMatchObject({
        code: expect.stringMatching(/^(connection-lost|forbidden)$/),
      });
    }
  });

  test('are not waited for by who has gone', async () => {
    const leave = new AbortController();
    const waiting = pin('silent.test', leave.signal);
    await server.silent;
    leave.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
  });
});
