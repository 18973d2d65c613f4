import type { Benchmark } from '../figure.ts';
import type { BridgeLab } from '../lab/bridge-lab.ts';

/** `sync_bytes_ratio`, `sync_small`: what promoting a snapshot moves. There is nothing to measure yet. */
export const sync: Benchmark<BridgeLab> = {
  keys: ['sync_bytes_ratio', 'sync_small'],
  measure: async () => {
    throw new Error('Moving snapshots between backends is not built yet');
  },
};
