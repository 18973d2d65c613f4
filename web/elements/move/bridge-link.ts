import { type ErrorData, SandboxError } from '../../../protocol/errors.ts';
import type { SandboxBackend, SandboxInfo } from '../../../protocol/sandbox.ts';
import type { BridgeAddress } from '../../../sdk/connect.ts';
import type { HostPlace } from '../model/host-place.ts';
import { bridgeName } from './bridge-address.ts';
import type { KnownBridge } from './bridge-book.ts';

/** How a page stands with a bridge. `refused`: it is there and does not take the token. */
export type LinkState =
  | { readonly type: 'unknown' | 'connecting' }
  | { readonly type: 'connected'; readonly sandboxes: readonly SandboxInfo[] }
  | { readonly type: 'unreachable' | 'refused'; readonly error: ErrorData };

/** `connect` of the SDK, or what stands in for it. */
export type ConnectBridge = (address: BridgeAddress) => Promise<SandboxBackend & AsyncDisposable>;

/** The connection to one bridge, made when it is first needed. Fires `change`. Whoever makes one disposes of it. */
export class BridgeLink extends EventTarget implements HostPlace, AsyncDisposable {
  readonly bridge: KnownBridge;
  readonly name: string;
  readonly #connectBridge: ConnectBridge;
  readonly #giveUp = new AbortController();
  #backend: (SandboxBackend & AsyncDisposable) | undefined;
  #checking: Promise<SandboxBackend> | undefined;
  #state: LinkState = { type: 'unknown' };

  constructor(bridge: KnownBridge, connectBridge: ConnectBridge) {
    super();
    this.bridge = bridge;
    this.name = bridgeName(bridge.url);
    this.#connectBridge = connectBridge;
  }

  get state(): LinkState {
    return this.#state;
  }

  /** The bridge's backend, once it has answered: a connection that is gone is made anew. */
  connect(): Promise<SandboxBackend> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Looks again whether it answers; the state tells. */
  async check(): Promise<void> {
    await this.connect().catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#giveUp.abort();
    const backend = this.#backend;
    this.#backend = undefined;
    await backend?.[Symbol.asyncDispose]();
  }

  async #check(): Promise<SandboxBackend> {
    if (this.#state.type !== 'connected') this.#set({ type: 'connecting' });
    try {
      return await this.#ask();
    } catch (cause) {
      const error = SandboxError.from(cause);
      const type = error.code === 'unauthenticated' ? 'refused' : 'unreachable';
      this.#set({ type, error: error.toData() });
      throw error;
    }
  }

  async #ask(): Promise<SandboxBackend> {
    const known = this.#backend;
    const sandboxes = await known?.list().catch(() => undefined);
    if (known !== undefined && sandboxes !== undefined) {
      this.#set({ type: 'connected', sandboxes });
      return known;
    }
    this.#backend = undefined;
    // It is over already, or is soon.
    void known?.[Symbol.asyncDispose]();
    const { url, token } = this.bridge;
    const backend = await this.#connectBridge({ url, token, signal: this.#giveUp.signal });
    this.#backend = backend;
    this.#set({ type: 'connected', sandboxes: await backend.list() });
    return backend;
  }

  #set(state: LinkState): void {
    this.#state = state;
    this.dispatchEvent(new Event('change'));
  }
}
