import { type AllowedHost, parseAllowedHost, readAddress } from '../../protocol/allowed-hosts.ts';
import { limits } from '../../protocol/limits.ts';
import { denialReasons } from '../../protocol/network-log.ts';
import type { DnsRecord } from './dns-message.ts';

/**
 * What a jail of a sandbox with a list reaches: names on it, the addresses that these have had lately, and addresses on it.
 * It only takes away: what nobody may reach is the `AddressPolicy`'s.
 */
export class AllowList {
  readonly #hosts: readonly AllowedHost[];
  /**
   * Addresses of names, as `203.0.113.7:443`, or `203.0.113.7:*` for every port, and until when, as `performance.now`
   * counts. The last that were found are last.
   */
  readonly #found = new Map<string, number>();

  /** @throws invalid-argument for an entry that is none */
  constructor(hosts: readonly string[]) {
    this.#hosts = hosts.map(parseAllowedHost);
  }

  /** Whether it may ask for the addresses of `name`, which is in lower case. */
  hasName(name: string): boolean {
    return this.#entriesOf(name).length > 0;
  }

  /** Notes what `name` has been answered with: it may be reached for a while, at the ports of the entries for that name. */
  note(name: string, records: readonly DnsRecord[]): void {
    for (const { port } of this.#entriesOf(name)) {
      for (const { address, ttlSeconds } of records) {
        const key = keyOf(address, port);
        const untilMs = performance.now() + Math.max(ttlSeconds * 1_000, limits.allowedAddressMs);
        const before = this.#found.get(key) ?? 0;
        this.#found.delete(key);
        this.#found.set(key, Math.max(before, untilMs));
      }
    }
    for (const key of this.#found.keys()) {
      if (this.#found.size <= limits.allowedAddresses) break;
      this.#found.delete(key);
    }
  }

  /** Why it may not connect there; `undefined` where it may. */
  whyNot({ address, port }: { readonly address: string; readonly port: number }): string | undefined {
    const isFound = [port, undefined].some(
      (each) => (this.#found.get(keyOf(address, each)) ?? 0) > performance.now(),
    );
    const number = readAddress(address) ?? -1;
    const isListed = this.#hosts.some(
      (host) =>
        host.type === 'addresses' &&
        (host.port ?? port) === port &&
        host.first <= number &&
        number <= host.last,
    );
    return isFound || isListed ? undefined : denialReasons.notListed;
  }

  #entriesOf(name: string): readonly AllowedHost[] {
    return this.#hosts.filter(
      (host) => host.type === 'name' && (host.isBelow ? name.endsWith(`.${host.name}`) : name === host.name),
    );
  }
}

function keyOf(address: string, port: number | undefined): string {
  return `${address}:${port ?? '*'}`;
}
