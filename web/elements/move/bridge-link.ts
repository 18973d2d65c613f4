import { throwIfAborted } from '../../../protocol/abort.ts';
import { type ErrorData, SandboxError } from '../../../protocol/errors.ts';
import type { HostImage, SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import type { BridgeAddress } from '../../../sdk/connect.ts';
import type { HostPlace } from '../model/host-place.ts';
import { bridgeName } from './bridge-address.ts';
import type { KnownBridge } from './bridge-book.ts';

/** The state of a page's connection to a bridge. `refused`: the bridge answers, and refuses the token. */
export type LinkState =
  | { readonly type: 'unknown' | 'connecting' }
  | {
      readonly type: 'connected';
      readonly sandboxes: readonly SandboxInfo[];
      readonly images: readonly HostImage[];
    }
  | { readonly type: 'unreachable' | 'refused'; readonly error: ErrorData };

/** `connect` of the SDK, or a test double. */
export type ConnectBridge = (address: BridgeAddress & { readonly token: string }) => Promise<BridgeBackend>;

type BridgeBackend = SandboxBackend & AsyncDisposable;

const what = 'Cannot connect to the bridge';

/**
 * The connection to one bridge, made when it is first needed. Fires `change`. It stays the same object when the
 * bridge gets another token, so that panes on it can reconnect. Its creator disposes of it.
 */
export class BridgeLink extends EventTarget implements HostPlace, AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly #connectBridge: ConnectBridge;
  #bridge: KnownBridge;
  /** Aborted when the current attempt is for a replaced token, or has no caller any more. */
  #giveUp = new AbortController();
  #backend: BridgeBackend | undefined;
  /** The connection with the previous token, which open sandboxes still use. */
  #former: BridgeBackend | undefined;
  #checking: Promise<SandboxBackend> | undefined;
  #state: LinkState = { type: 'unknown' };

  constructor(bridge: KnownBridge, connectBridge: ConnectBridge) {
    super();
    this.#bridge = bridge;
    this.name = bridgeName(bridge.url);
    this.url = bridge.url;
    this.#connectBridge = connectBridge;
  }

  get bridge(): KnownBridge {
    return this.#bridge;
  }

  get state(): LinkState {
    return this.#state;
  }

  /** The bridge's backend, once it has answered; reconnects if the connection is lost. */
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

  /** Checks again whether it answers; see the state. */
  async check(): Promise<void> {
    await this.connect().catch(() => undefined);
  }

  /**
   * Takes a new entry of the user for this bridge. With another token, later calls use a new connection; open
   * sandboxes continue on the old one until it ends, or until the token is replaced again.
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
      // Callers that waited continue with the present token.
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
    // It has ended already, or will soon.
    void known?.[Symbol.asyncDispose]();
    const backend = await this.#open(signal);
    const seen = await look(backend);
    throwIfAborted(signal, what);
    this.#set({ type: 'connected', ...seen });
    return backend;
  }

  async #open(signal: AbortSignal): Promise<BridgeBackend> {
    const { url, token } = this.#bridge;
    if (!hasToken(this.#bridge)) {
      const message = `Cannot connect to ${this.name}: this browser has no token for it, or has forgotten it with a tab`;
      throw new SandboxError('unauthenticated', message);
    }
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

/** Whether the browser has a token of the bridge: one that only an address names is asked nothing. */
export function hasToken({ token }: Pick<KnownBridge, 'token'>): boolean {
  return token !== '';
}

/**
 * The bridge's sandboxes and images. There are no images for a token that may not create sandboxes, and on an older
 * bridge.
 */
async function look(
  backend: SandboxBackend,
): Promise<{ sandboxes: readonly SandboxInfo[]; images: readonly HostImage[] }> {
  const none = (): readonly HostImage[] => [];
  const [sandboxes, images] = await Promise.all([backend.list(), backend.images?.().catch(none) ?? none()]);
  return { sandboxes, images };
}
