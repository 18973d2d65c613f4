import type { NetworkLog } from '../network-log.ts';

/** What a sandbox does in the network. */
export interface NetworkFacet {
  /** Since the machine it runs in has started; nothing where it has no network. */
  log(): Promise<NetworkLog>;
}
