import { Resolver } from 'node:dns/promises';
import { limits } from '../../protocol/limits.ts';
import { type DnsRecord, dnsCodes } from './dns-message.ts';

export interface FoundName {
  readonly code: number;
  readonly records: readonly DnsRecord[];
}

/** Looks names up for sandboxes. Never rejects. */
export type LookUpName = (name: string) => Promise<FoundName>;

/**
 * Asks name servers, those of this host by default, for addresses of IPv4, and nothing else: no file of the host
 * gives a name a meaning of its own.
 */
export function openNameLookUp(servers?: readonly string[]): LookUpName {
  const resolver = new Resolver({ timeout: limits.networkResolveTimeoutMs / 2, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (name) => {
    try {
      const found = await resolver.resolve4(name, { ttl: true });
      return { code: dnsCodes.ok, records: found.map(({ address, ttl }) => ({ address, ttlSeconds: ttl })) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENODATA') return { code: dnsCodes.ok, records: [] };
      return { code: code === 'ENOTFOUND' ? dnsCodes.noSuchName : dnsCodes.failed, records: [] };
    }
  };
}
