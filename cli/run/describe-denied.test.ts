import { expect, test } from 'vitest';
import type { NetworkFlow } from '../../protocol/network-log.ts';
import { describeDenied } from './describe-denied.ts';

const flow = (changes: Partial<NetworkFlow>): NetworkFlow => ({
  ...{ id: 1, type: 'connection', startedAtMs: 1, verdict: 'denied' },
  ...changes,
});

test('S-8 what a run was denied is told by name or address and port, each once, and some of very many', () => {
  expect(describeDenied([flow({ verdict: 'allowed', name: 'a.test' })])).toBeUndefined();
  const named = flow({ type: 'question', name: 'a.test' });
  const reached = flow({ name: 'b.test', address: '140.82.121.4', port: 80 });
  const unnamed = flow({ address: '140.82.121.5', port: 22 });
  expect(describeDenied([named, named, reached, unnamed])).toBe(
    'its network denied a.test, b.test:80, 140.82.121.5:22: name what it needs with --allow',
  );
  const many = Array.from({ length: 12 }, (_, index) => flow({ name: `n${index}.test` }));
  expect(describeDenied(many)).toContain('n9.test and 2 more:');
});
