import type { Socket } from 'node:net';
import { limits } from '../../protocol/limits.ts';
import { denialReasons, type NetworkLog } from '../../protocol/network-log.ts';
import type { AddressPolicy } from './address-policy.ts';
import type { AllowList } from './allow-list.ts';
import { connectOutside } from './connect-outside.ts';
import { composeDnsAnswer, type DnsQuestion, dnsCodes, parseDnsQuestion } from './dns-message.ts';
import { FlowLog } from './flow-log.ts';
import { joinSockets } from './join-sockets.ts';
import type { FoundName, LookUpName } from './look-up-name.ts';

export interface SandboxNetworkParts {
  readonly policy: AddressPolicy;
  readonly lookUp: LookUpName;
  /** Whether there is room for one more connection, which the answer then gives back. */
  readonly takeFlow: () => (() => void) | undefined;
  /** Whether it may ask one more question now. */
  readonly takeQuestion: () => boolean;
}

/** What one sandbox does in the network: each connection is judged by the address that it goes to, and noted. */
export class SandboxNetwork {
  readonly #parts: SandboxNetworkParts;
  readonly #log = new FlowLog();
  /** What was asked for last that has an address: of the least recently found ones beyond the limit, none. */
  readonly #names = new Map<string, string>();

  constructor(parts: SandboxNetworkParts) {
    this.#parts = parts;
  }

  read(): NetworkLog {
    return this.#log.read();
  }

  /** Makes the connection that `inside` was to be, or resets it, as one that the jail's `list` lacks. Resolves when it is over. */
  async carry(
    inside: Socket,
    target: { readonly address: string; readonly port: number },
    list?: AllowList,
  ): Promise<void> {
    const { policy, takeFlow } = this.#parts;
    const { address, port } = target;
    const name = this.#names.get(address);
    const facts = { type: 'connection', address, port, ...(name === undefined ? {} : { name }) } as const;
    const entry = this.#log.begin({ ...facts, verdict: 'allowed' });
    const refuse = (verdict: 'denied' | 'failed', why: string): void => {
      inside.destroy();
      entry.end({ ...facts, verdict, why });
    };
    const why = policy.whyNot(address) ?? list?.whyNot(target);
    if (why !== undefined) return refuse('denied', why);
    const release = takeFlow();
    if (!release) return refuse('denied', 'too many connections are open on this host');
    try {
      const outside = await connectOutside(target, inside);
      if (typeof outside === 'string') return refuse('failed', outside);
      const now = () =>
        ({
          ...facts,
          verdict: 'allowed',
          sentBytes: outside.bytesWritten,
          receivedBytes: outside.bytesRead,
        }) as const;
      entry.update(now);
      const broken = await joinSockets(inside, outside);
      entry.end({ ...now(), ...(broken === undefined ? {} : { why: broken }) });
    } finally {
      release();
    }
  }

  /**
   * Answers the question that comes by `inside`, and closes it. What is none is not answered; a name that the jail's `list`
   * lacks does not exist.
   */
  async answer(inside: Socket, list?: AllowList): Promise<void> {
    const message = await readAll(inside, limits.networkQuestionBytes);
    const question = message && parseDnsQuestion(message);
    if (!question) {
      inside.destroy();
      return;
    }
    const { code, records } = await this.#find(question, list);
    if (!inside.destroyed) inside.end(composeDnsAnswer(question, { code, records }));
  }

  /** Other types than that of IPv4's addresses have no records, so that programs use those. */
  async #find({ name, isForIpv4 }: DnsQuestion, list: AllowList | undefined): Promise<FoundName> {
    if (!this.#parts.takeQuestion()) return this.#refuse(name, 'it asks too often');
    if (list && !list.hasName(name)) {
      // Programs ask for both types, and one entry of the log is enough.
      if (isForIpv4) this.#refuse(name, denialReasons.notListed);
      return noSuchName;
    }
    if (!isForIpv4) return { code: dnsCodes.ok, records: [] };
    const facts = { type: 'question', name } as const;
    const entry = this.#log.begin({ ...facts, verdict: 'allowed' });
    const { code, records } = await this.#parts.lookUp(name);
    // What cannot be reached is nobody's business inside: it would tell how the operator's network is made.
    const reachable = records.filter(({ address }) => this.#parts.policy.whyNot(address) === undefined);
    for (const { address } of reachable) this.#remember(address, name);
    list?.note(name, reachable);
    if (records.length > 0 && reachable.length === 0) {
      entry.end({ ...facts, verdict: 'denied', why: denialReasons.noReachableAddress });
      return noSuchName;
    }
    if (code === dnsCodes.ok) entry.end({ ...facts, verdict: 'allowed' });
    else entry.end({ ...facts, verdict: 'failed', why: whyNot(code) });
    return { code, records: reachable };
  }

  #refuse(name: string, why: string): FoundName {
    this.#log
      .begin({ type: 'question', verdict: 'denied', name })
      .end({ type: 'question', verdict: 'denied', name, why });
    return { code: dnsCodes.refused, records: [] };
  }

  #remember(address: string, name: string): void {
    this.#names.delete(address);
    this.#names.set(address, name);
    if (this.#names.size > limits.networkNames) this.#names.delete(this.#names.keys().next().value ?? '');
  }
}

/** So programs give up at once: they would ask a server again that refuses. */
const noSuchName: FoundName = { code: dnsCodes.noSuchName, records: [] };

function whyNot(code: number): string {
  return code === dnsCodes.noSuchName ? 'there is no such name' : 'no name server has answered';
}

/** Resolves to what comes until the end, or to `undefined` when that is more than `most` bytes, or takes too long. */
function readAll(socket: Socket, most: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(() => socket.destroy(), limits.networkHeaderTimeoutMs);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
    socket.once('end', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(pieces));
    });
    socket.on('data', (bytes: Buffer) => {
      length += bytes.length;
      if (length > most) socket.destroy();
      else pieces.push(bytes);
    });
  });
}
