import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { limits } from '../../protocol/limits.ts';
import type { NetworkLog } from '../../protocol/network-log.ts';
import type { JailRelay } from '../contract.ts';
import { RequestRate } from '../http/request-rate.ts';
import { AddressPolicy } from './address-policy.ts';
import { AllowList } from './allow-list.ts';
import { openNameLookUp } from './look-up-name.ts';
import type { RelayHeader } from './relay-header.ts';
import { RelayServer } from './relay-server.ts';
import { SandboxNetwork } from './sandbox-network.ts';

/** What an operator says of the network that sandboxes may ask for. */
export interface NetworkOptions {
  /** Ranges of IPv4 that sandboxes reach although they are not of the public internet, as `10.1.2.0/24`. */
  readonly allow?: readonly string[] | undefined;
  /** Addresses of name servers to ask, each with a port or without; by default those of this host. */
  readonly nameServers?: readonly string[] | undefined;
}

/** The way into the network of one jail, until it is disposed of: then its connections end. */
export interface OpenedRelay extends Disposable {
  readonly relay: JailRelay;
}

/** A jail that has a way into the network. */
interface AttachedJail {
  readonly sandbox: string;
  /** What it reaches, where that is not all that the host allows. */
  readonly list: AllowList | undefined;
  readonly sockets: Set<Socket>;
}

/** What each jail asks for while it starts, to find out whether its way out works (guest/launch/network-test.c). */
const testTarget = { address: '203.0.113.1', port: 7 };

const empty: NetworkLog = { flows: [], forgotten: 0 };

/** The network of all sandboxes of a host. Owns their connections. */
export class HostNetworks implements AsyncDisposable {
  readonly #policy: AddressPolicy;
  readonly #lookUp;
  readonly #questions = new RequestRate(limits.networkQuestions);
  readonly #jails = new Map<string, AttachedJail>();
  /** Those that did something last are last. */
  readonly #sandboxes = new Map<string, SandboxNetwork>();
  #flows = 0;
  #server: RelayServer | undefined;

  private constructor({ allow, nameServers }: NetworkOptions) {
    this.#policy = new AddressPolicy(allow);
    this.#lookUp = openNameLookUp(nameServers);
  }

  /** `folder` is made for it. @throws storage-full, read-only, invalid-argument for a range that is none */
  static async open(folder: string, options: NetworkOptions = {}): Promise<HostNetworks> {
    const networks = new HostNetworks(options);
    networks.#server = await RelayServer.open(folder, (socket, header) => networks.#take(socket, header));
    return networks;
  }

  /**
   * For a jail of `sandbox` that is about to start, or that an earlier process has given `key`; with `allow` (as
   * `parseAllowedHost` reads it) it reaches nothing else. @throws invalid-argument
   */
  attach(
    sandbox: string,
    {
      key = randomUUID(),
      allow,
    }: { readonly key?: string; readonly allow?: readonly string[] | undefined } = {},
  ): OpenedRelay {
    const jail = { sandbox, list: allow && new AllowList(allow), sockets: new Set<Socket>() };
    this.#jails.set(key, jail);
    return {
      relay: {
        folder: this.#server?.folder ?? '',
        key,
        flows: limits.networkFlows,
        perSecond: limits.networkBeginsPerSecond,
      },
      [Symbol.dispose]: () => {
        this.#jails.delete(key);
        for (const socket of jail.sockets) socket.destroy();
      },
    };
  }

  /** What a sandbox did. */
  read(sandbox: string): NetworkLog {
    return this.#sandboxes.get(sandbox)?.read() ?? empty;
  }

  /** Forgets what a sandbox did. */
  forget(sandbox: string): void {
    this.#sandboxes.delete(sandbox);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  #take(socket: Socket, header: RelayHeader): void {
    const jail = this.#jails.get(header.key);
    if (!jail) {
      socket.destroy();
      return;
    }
    jail.sockets.add(socket);
    socket.once('close', () => jail.sockets.delete(socket));
    const network = this.#networkOf(jail.sandbox);
    if (header.type === 'question') void network.answer(socket, jail.list);
    else if (header.address === testTarget.address && header.port === testTarget.port) socket.end('y');
    else void network.carry(socket, header, jail.list);
  }

  #networkOf(sandbox: string): SandboxNetwork {
    const network =
      this.#sandboxes.get(sandbox) ??
      new SandboxNetwork({
        policy: this.#policy,
        lookUp: this.#lookUp,
        takeFlow: () => this.#takeFlow(),
        takeQuestion: () => this.#questions.take(sandbox) === 0,
      });
    this.#sandboxes.delete(sandbox);
    this.#sandboxes.set(sandbox, network);
    if (this.#sandboxes.size > limits.networkLogs) this.forget(this.#sandboxes.keys().next().value ?? '');
    return network;
  }

  #takeFlow(): (() => void) | undefined {
    if (this.#flows >= limits.networkFlowsOfHost) return undefined;
    this.#flows++;
    return () => {
      this.#flows--;
    };
  }
}
