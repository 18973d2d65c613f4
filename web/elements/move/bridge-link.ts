import { throwIfAborted } from '../../../protocol/abort.ts';
import { type ErrorData, SandboxError } from '../../../protocol/errors.ts';
import type { HostImage, SandboxBackend, SandboxInfo } from '../../../protocol/sandbox.ts';
import type { BridgeAddress } from '../../../sdk/connect.ts';
import type { HostPlace } from '../model/host-place.ts';
import { bridgeName } from './bridge-address.ts';
import type { KnownBridge } from './bridge-book.ts';

/** How a page stands with a bridge. `refused`: it is there and does not take the token. */
export type LinkState =
  | { readonly type: 'unknown' | 'connecting' }
  | {
      readonly type: 'connected';
      readonly sandboxes: readonly SandboxInfo[];
      readonly images: readonly HostImage[];
    }
  | { readonly type: 'unreachable' | 'refused'; readonly error: ErrorData };

/** `connect` of the SDK, or what stands in for it. */
export type ConnectBridge = (address: BridgeAddress & { readonly token: string }) => Promise<BridgeBackend>;

type BridgeBackend = SandboxBackend & AsyncDisposable;

const what = 'Cannot connect to the bridge';

/**
 * The connection to one bridge, made when it is first needed. Fires `change`. It stays the same when the
 * bridge gets another token, so that panes on it find their way back. Whoever makes one disposes of it.
 */
export class BridgeLink extends EventTarget implements HostPlace, AsyncDisposable {
  readonly name: string;
  readonly #connectBridge: ConnectBridge;
  #bridge: KnownBridge;
  /** Aborted when what is under way is for a token that is not the one any more, or for nobody. */
  #giveUp = new AbortController();
  #backend: BridgeBackend | undefined;
  /** The one with the token before, for what is open through it. */
  #former: BridgeBackend | undefined;
  #checking: Promise<SandboxBackend> | undefined;
  #state: LinkState = { type: 'unknown' };

  constructor(bridge: KnownBridge, connectBridge: ConnectBridge) {
    super();
    this.#bridge = bridge;
    this.name = bridgeName(bridge.url);
    this.#connectBridge = connectBridge;
  }

  get bridge(): KnownBridge {
    return this.#bridge;
  }

  get state(): LinkState {
    return this.#state;
  }

  /** The bridge's backend, once it has answered: a connection that is gone is made anew. */
  connect(): Promise<SandboxBackend> {
    if (this.#checking) return this.#checking;
    const checking = this.#check(this.#giveUp.signal);
    const done = (): void => {
      if (this.#checking === checking) this.#checking = undefined;
    };
    checking.then(done, done);
    this.#checking = checking;
    return checking;
  }

  async images(): Promise<readonly HostImage[]> {
    await this.connect();
    return this.#state.type === 'connected' ? this.#state.images : [];
  }

  /** Looks again whether it answers; the state tells. */
  async check(): Promise<void> {
    await this.connect().catch(() => undefined);
  }

  /**
   * Takes what was entered anew for this bridge. With another token, whoever connects next gets a connection of
   * its own; what is open goes on over the one there was until that ends, or the token is replaced once more.
   */
  replace(bridge: KnownBridge): void {
    const isSame = bridge.token === this.#bridge.token;
    this.#bridge = bridge;
    if (!isSame) {
      this.#giveUp.abort();
      this.#giveUp = new AbortController();
      this.#checking = undefined;
      if (this.#backend) {
        void this.#former?.[Symbol.asyncDispose]();
        this.#former = this.#backend;
      }
      this.#backend = undefined;
      this.#state = { type: 'unknown' };
    }
    this.dispatchEvent(new Event('change'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#giveUp.abort();
    const backends = [this.#backend, this.#former];
    this.#backend = undefined;
    this.#former = undefined;
    await Promise.all(backends.map((each) => each?.[Symbol.asyncDispose]()));
  }

  async #check(signal: AbortSignal): Promise<SandboxBackend> {
    if (this.#state.type !== 'connected') this.#set({ type: 'connecting' });
    try {
      return await this.#ask(signal);
    } catch (cause) {
      // Whoever waited goes on with the token of now.
      if (signal.aborted && signal !== this.#giveUp.signal) return this.connect();
      const error = SandboxError.from(cause);
      const type = error.code === 'unauthenticated' ? 'refused' : 'unreachable';
      this.#set({ type, error: error.toData() });
      throw error;
    }
  }

  async #ask(signal: AbortSignal): Promise<SandboxBackend> {
    const known = this.#backend;
    const found = known && (await look(known).catch(() => undefined));
    throwIfAborted(signal, what);
    if (known !== undefined && found !== undefined) {
      this.#set({ type: 'connected', ...found });
      return known;
    }
    this.#backend = undefined;
    // It is over already, or is soon.
    void known?.[Symbol.asyncDispose]();
    const backend = await this.#open(signal);
    const seen = await look(backend);
    throwIfAborted(signal, what);
    this.#set({ type: 'connected', ...seen });
    return backend;
  }

  async #open(signal: AbortSignal): Promise<BridgeBackend> {
    const { url, token } = this.#bridge;
    const backend = await this.#connectBridge({ url, token, signal });
    if (signal.aborted) await backend[Symbol.asyncDispose]();
    throwIfAborted(signal, what);
    this.#backend = backend;
    return backend;
  }

  #set(state: LinkState): void {
    this.#state = state;
    this.dispatchEvent(new Event('change'));
  }
}

/** What is there. Who may not make sandboxes is told of no image, and an older bridge knows of none. */
async function look(
  backend: SandboxBackend,
): Promise<{ sandboxes: readonly SandboxInfo[]; images: readonly HostImage[] }> {
  const none = (): readonly HostImage[] => [];
  const [sandboxes, images] = await Promise.all([backend.list(), backend.images?.().catch(none) ?? none()]);
  return { sandboxes, images };
}
