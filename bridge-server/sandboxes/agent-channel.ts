import type { ByteChannel } from '../../protocol/init/byte-channel.ts';

/** The way to a jail's agent: it counts what it takes, and can be shut for a while, as if the agent stood still. */
export class AgentChannel implements ByteChannel {
  receive: ByteChannel['receive'] = () => undefined;
  readonly #channel: ByteChannel;
  #shut: PromiseWithResolvers<void> | undefined;
  #sent = 0;

  /** `channel` is this one's from now on. */
  constructor(channel: ByteChannel) {
    this.#channel = channel;
    channel.receive = (bytes) => this.receive(bytes);
  }

  /** How often it was given something: while this is the same, the agent has been told nothing new. */
  get sent(): number {
    return this.#sent;
  }

  async send(bytes: Uint8Array): Promise<void> {
    this.#sent++;
    while (this.#shut) await this.#shut.promise;
    await this.#channel.send(bytes);
  }

  /** Nothing gets through until `open`. */
  shut(): void {
    this.#shut ??= Promise.withResolvers();
  }

  open(): void {
    this.#shut?.resolve();
    this.#shut = undefined;
  }
}
