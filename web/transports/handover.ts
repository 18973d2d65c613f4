import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { Progress } from '../../protocol/sandbox/progress.ts';

type Transfer = readonly ArrayBuffer[];

/** A sandbox that can give another worker its machine as it runs: values to be cloned, with parts to be transferred. */
interface HandsOver {
  /** What differs from the last that was sent ahead. @throws unsupported, limit-exceeded: a fork of a snapshot with memory may do instead */
  handOver(): { readonly machine: object; readonly transfer: Transfer };
  /** Sends it ahead, now and again, to who will get it handed over; `undefined` ends that. */
  lead(route: MachineRoute | undefined): void;
}

interface MachineRoute {
  /** Whether what went there last was taken. */
  readonly isFree: boolean;
  send(machine: object, transfer: Transfer): void;
}

/** A worker that goes on as a fork from what another handed over. */
export interface TakesOver {
  /** Has what comes ahead of it. @throws corrupt-object where it does not follow the last one */
  takeAhead(machine: object): Promise<void>;
  /** @throws unsupported where no machine stands ready for it, and whatever keeps it from going on */
  takeOver(
    machine: object,
    options: ForkOptions,
    onProgress: (progress: Progress) => void,
  ): Promise<SandboxConnection>;
}

export interface ForkOptions {
  readonly name?: string;
}

/** A machine on its way: ahead, or to go on from. */
interface MachineMessage {
  readonly machine: object;
  readonly isAhead: boolean;
}

function handsOver<Value extends object>(value: Value): value is Value & HandsOver {
  return typeof (value as Partial<HandsOver>).handOver === 'function';
}

function takesOver<Value extends object>(value: Value): value is Value & TakesOver {
  return typeof (value as Partial<TakesOver>).takeOver === 'function';
}

/** Sends the machine of a connection to another worker: ahead, and at last all of it in one message, or none. */
export class MachineSender {
  readonly #connection: HandsOver | undefined;
  #port: MessagePort | undefined;

  constructor(connection: object) {
    this.#connection = handsOver(connection) ? connection : undefined;
  }

  /** From now on to whoever has the other end of `port`; without one, to nobody. */
  lead(port: MessagePort | undefined): void {
    this.#port?.close();
    this.#port = port;
    this.#connection?.lead(port && this.#routeThrough(port));
  }

  /** Sends it to go on from: to who is led, or all of it through `port`. @throws unsupported, limit-exceeded */
  handOver(port?: MessagePort): void {
    try {
      if (port) {
        this.lead(undefined);
        this.#port = port;
      }
      if (!this.#connection) throw new TypeError('This sandbox hands nothing over');
      const { machine, transfer } = this.#connection.handOver();
      this.#send({ machine, isAhead: false }, transfer);
    } catch (error) {
      this.#port?.close();
      throw error;
    } finally {
      this.#port = undefined;
    }
  }

  /** One message at a time: whoever has the other end says when it has taken it. */
  #routeThrough(port: MessagePort): MachineRoute {
    let isFree = true;
    port.onmessage = () => {
      isFree = true;
    };
    return {
      get isFree() {
        return isFree;
      },
      send: (machine, transfer) => {
        isFree = false;
        this.#send({ machine, isAhead: true }, transfer);
      },
    };
  }

  #send(message: MachineMessage, transfer: Transfer): void {
    this.#port?.postMessage(message, [...transfer]);
  }
}

/** Receives the machine that another worker sends, and has a backend take what comes ahead of it. */
export class MachineReceiver {
  readonly #backend: TakesOver | undefined;
  #port: MessagePort | undefined;
  #machine: Promise<object | undefined> = Promise.resolve(undefined);
  /** What came ahead, one after the other. */
  #ahead: Promise<void> = Promise.resolve();

  constructor(backend: object) {
    this.#backend = takesOver(backend) ? backend : undefined;
  }

  /** From the other end of `port` from now on, and from no other. */
  follow(port: MessagePort): void {
    this.#port?.close();
    this.#port = port;
    // One that none goes ahead of begins anew, whatever went wrong before.
    this.#ahead = this.#ahead.catch(() => undefined);
    this.#machine = new Promise((resolve) => {
      port.addEventListener('message', ({ data }: MessageEvent<MachineMessage>) => {
        if (data.isAhead) this.#take(data.machine, port);
        else resolve(data.machine);
      });
      port.addEventListener('close', () => resolve(undefined));
      port.start();
    });
  }

  /** Goes on from it once it is there. @throws unsupported where none comes, and as the backend does */
  async takeOver(options: ForkOptions, onProgress: (progress: Progress) => void): Promise<SandboxConnection> {
    const machine = await this.#machine;
    this.#machine = Promise.resolve(undefined);
    this.#port?.close();
    await this.#ahead;
    if (machine && this.#backend) return this.#backend.takeOver(machine, options, onProgress);
    const message = 'Cannot take the machine over: it did not come, or this backend takes none';
    throw new SandboxError('unsupported', message, { details: { feature: 'handing over' } });
  }

  #take(machine: object, port: MessagePort): void {
    this.#ahead = this.#ahead.then(async () => {
      await this.#backend?.takeAhead(machine);
      port.postMessage('taken');
    });
    this.#ahead.catch(() => undefined); // Told to who wants to go on from what comes last.
  }
}
