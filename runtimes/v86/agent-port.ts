import type { EmulatorInternals } from './emulator-internals.ts';

/** The virtio-console port that init opens; port 0 would be a console. */
const portNumber = 1;
/** Control event VIRTIO_CONSOLE_CONSOLE_PORT (virtio 1.2, 5.3.6.2). */
const consolePortEvent = 4;
/** Receive queue of port p ≥ 1 is 2p + 2 (virtio 1.2, 5.3.2). */
const receiveQueue = 2 * portNumber + 2;
/** The guest posts buffers of one page; what is longer is cut off without a word. */
const guestBufferBytes = 4096;
const retryMs = 1;

/**
 * The byte stream between the host and init: a generic virtio port of the guest.
 *
 * v86 announces every port as a console, which would make it a tty (`hvc1`); dropping that one
 * event leaves the guest with `/dev/vport*p1`. Input without a waiting guest buffer would be lost,
 * so it is queued here until the guest has posted one; callers bound the queue by credit. While the
 * guest boots nothing is sent: its driver frees, for good, the buffers of what comes for a port that
 * it has not listed yet. Init's first word says that the port is open.
 *
 * v86 hands over output at once, amid the instruction by which the guest tells of it, before the device has given the
 * buffer back: a machine that is taken then lacks that buffer for good.
 */
export class AgentPort implements Disposable {
  /** Called with what init sent. The bytes are the receiver's. */
  receive: (bytes: Uint8Array) => void = () => {};

  readonly #internals: EmulatorInternals;
  readonly #pending: Uint8Array[] = [];
  #retry: ReturnType<typeof setTimeout> | undefined;
  #open: boolean;
  #isReceiving = false;

  /** `open`: the machine continues from a state in which init had opened the port. */
  constructor(internals: EmulatorInternals, options: { open: boolean }) {
    this.#internals = internals;
    this.#open = options.open;
    const device = internals.v86.cpu.devices.virtio_console;
    const sendEvent = device.SendEvent.bind(device);
    device.SendEvent = (port, event, value) => {
      if (port >= portNumber && event === consolePortEvent) return;
      sendEvent(port, event, value);
    };
    internals.bus.register(`virtio-console${portNumber}-output-bytes`, (bytes) => {
      this.#open = true;
      this.#isReceiving = true;
      try {
        this.receive(bytes);
      } finally {
        this.#isReceiving = false;
      }
    });
  }

  /** Before init has opened the port, what is sent is lost: its client says HELLO again. */
  send(bytes: Uint8Array): void {
    if (!this.#open) return;
    for (let at = 0; at < bytes.length; at += guestBufferBytes) {
      this.#pending.push(bytes.slice(at, at + guestBufferBytes));
    }
    this.#flush();
  }

  /** Whether the guest is amid telling of output: it is at no instant that could be taken. */
  get isReceiving(): boolean {
    return this.#isReceiving;
  }

  /** Drops what was sent and has not arrived: the guest is another one now. */
  forget(): void {
    clearTimeout(this.#retry);
    this.#pending.length = 0;
  }

  [Symbol.dispose](): void {
    this.forget();
    this.receive = () => {};
  }

  #flush(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    const queue = this.#internals.v86.cpu.devices.virtio_console.virtio.queues[receiveQueue];
    let sent = 0;
    for (const bytes of this.#pending) {
      if (!queue?.has_request()) break;
      this.#internals.bus.send(`virtio-console${portNumber}-input-bytes`, bytes);
      sent++;
    }
    this.#pending.splice(0, sent);
    if (this.#pending.length > 0) this.#retry = setTimeout(() => this.#flush(), retryMs);
  }
}
