import { BlockList, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { denialReasons } from '../../protocol/network-log.ts';
import { isPublicAddress } from './public-address.ts';

/** Which addresses sandboxes may reach: those of the public internet that are not this host's, and what the operator opens. */
export class AddressPolicy {
  readonly #opened = new BlockList();

  /** @param ranges of IPv4, as `10.1.2.0/24`, or single addresses @throws invalid-argument */
  constructor(ranges: readonly string[] = []) {
    if (ranges.length > limits.networkRanges) {
      throw new SandboxError('invalid-argument', `More than ${limits.networkRanges} ranges are opened`);
    }
    for (const range of ranges) {
      const { address, bits } = parseRange(range);
      this.#opened.addSubnet(address, bits, 'ipv4');
    }
  }

  /** Why an address may not be reached, for people; `undefined` where it may. */
  whyNot(address: string): string | undefined {
    if (!isIPv4(address)) return 'only addresses of IPv4 can be reached';
    if (this.#opened.check(address, 'ipv4')) return undefined;
    if (!isPublicAddress(address)) return denialReasons.notPublic;
    return isOfThisHost(address) ? denialReasons.ofThisHost : undefined;
  }
}

/** @throws invalid-argument */
function parseRange(text: string): { address: string; bits: number } {
  const [, address = '', digits = '32'] = /^([0-9.]{7,15})(?:\/(\d{1,2}))?$/.exec(text) ?? [];
  const bits = Number(digits);
  if (isIPv4(address) && bits <= 32) return { address, bits };
  const message = `${JSON.stringify(text)} is no range of addresses, as 10.1.2.0/24`;
  throw new SandboxError('invalid-argument', message);
}

/** Asked each time, as addresses come and go. */
function isOfThisHost(address: string): boolean {
  return Object.values(networkInterfaces()).some((each) => each?.some((one) => one.address === address));
}
