import { expect, test } from 'vitest';
import { denialReasons, type NetworkFlow } from '../../protocol/network-log.ts';
import { describeDenied, listDenied, watchDenied } from './describe-denied.ts';

const { notListed, notPublic, noReachableAddress } = denialReasons;

const flow = (changes: Partial<NetworkFlow>): NetworkFlow => ({
  ...{ id: 1, type: 'connection', startedAtMs: 1, verdict: 'denied', why: notListed },
  ...changes,
});

const described = (flows: readonly NetworkFlow[], isNew = true) =>
  describeDenied(listDenied(flows), { isNew });

test('S-8 what a run was denied is told by name or address and port, each once, and some of very many', () => {
  expect(described([flow({ verdict: 'allowed', name: 'a.test' })])).toEqual([]);
  const named = flow({ type: 'question', name: 'a.test' });
  const reached = flow({ name: 'b.test', address: '140.82.121.4', port: 80 });
  const unnamed = flow({ address: '140.82.121.5', port: 22 });
  expect(described([named, named, reached, unnamed])).toEqual([
    'its network denied a.test, b.test:80, 140.82.121.5:22: name what it needs with --allow',
  ]);
  expect(described([named], false)).toEqual([
    'its network denied a.test, which is not on its list: a new sandbox gets another one with --allow',
  ]);
  const many = Array.from({ length: 12 }, (_, index) => flow({ name: `n${index}.test` }));
  expect(described(many)[0]).toContain('n9.test and 2 more:');
});

test('S-8 an address that its host does not open is told with what opens it, and not with --allow', () => {
  const mirror = flow({ type: 'question', name: 'mirror.test', why: noReachableAddress });
  const lan = flow({ address: '10.1.2.3', port: 80, why: notPublic });
  const often = flow({ type: 'question', name: 'c.test', why: 'it asks too often' });
  const said = described([mirror, lan, often]);
  expect(said).toEqual([
    expect.stringContaining('mirror.test, 10.1.2.3:80, whose address is not public'),
    'its network denied c.test: it asks too often',
  ]);
  expect(said[0]).toContain('COPPICE_NETWORK_ALLOW');
  expect(said[0]).not.toContain('--allow');
});

test('S-8 only what is denied since a command began is told, and nothing where a log cannot be had', async () => {
  const flows = [flow({ id: 3, name: 'before.test' })];
  const info = { network: 'full' };
  const log = async () => ({ flows, forgotten: 2 });
  const watched = await watchDenied(Object({ info, network: { log } }));
  flows.push(flow({ id: 4, name: 'since.test' }));
  expect(await watched()).toEqual([{ to: 'since.test', why: notListed }]);
  const broken = await watchDenied(
    Object({ info, network: { log: () => Promise.reject(new Error('gone')) } }),
  );
  expect(await broken()).toEqual([]);
});
