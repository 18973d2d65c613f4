import { isIPv6 } from 'node:net';
import { limits } from '../../protocol/limits.ts';
import type { Rate } from './bridge-options.ts';

interface Bucket {
  left: number;
  filledAtMs: number;
}

/** A token bucket for each key; of the least recently seen keys beyond `limits.rateKeys`, none. */
export class RequestRate {
  readonly #rate: Rate;
  readonly #nowMs: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate, nowMs: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#nowMs = nowMs;
  }

  /** Takes one request of `key`. Answers 0, or after how many seconds there is one to take again. */
  take(key: string): number {
    const bucket = this.#fill(key);
    if (bucket.left < 1) return Math.ceil((1 - bucket.left) / this.#rate.perSecond);
    bucket.left--;
    return 0;
  }

  #fill(key: string): Bucket {
    const nowMs = this.#nowMs();
    const { perSecond, burst } = this.#rate;
    const bucket = this.#buckets.get(key) ?? { left: burst, filledAtMs: nowMs };
    bucket.left = Math.min(burst, bucket.left + ((nowMs - bucket.filledAtMs) / 1000) * perSecond);
    bucket.filledAtMs = nowMs;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > limits.rateKeys) this.#buckets.delete(this.#buckets.keys().next().value ?? '');
    return bucket;
  }
}

/** What counts as one client: an address, or of IPv6 the network that a client picks addresses from. */
export function rateKey(address: string | undefined): string {
  if (address === undefined || !isIPv6(address) || address.startsWith('::ffff:')) return address ?? '';
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter((g) => g !== '').length;
  const full = [...groups, ...Array<string>(rest).fill('0'), ...(tail?.split(':') ?? [])];
  return `${full.slice(0, 4).join(':')}::/64`;
}
