import type { Progress, SandboxConnection } from '../../protocol/sandbox.ts';

/** A sandbox that can give another worker its machine as it runs: a value to be cloned, with parts to be transferred. */
interface HandsOver {
  /** @throws unsupported, limit-exceeded: a fork of a snapshot with memory may do instead */
  handOver(): { readonly machine: object; readonly transfer: readonly ArrayBuffer[] };
}

/** A worker that goes on as a fork from what another handed over. */
export interface TakesOver {
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

function handsOver<Value extends object>(value: Value): value is Value & HandsOver {
  return typeof (value as Partial<HandsOver>).handOver === 'function';
}

/** Whether a backend can. */
export function takesOver<Value extends object>(value: Value): value is Value & TakesOver {
  return typeof (value as Partial<TakesOver>).takeOver === 'function';
}

/** Sends the machine of a connection to whoever has the other end of `port`: all of it, in one message, or none. */
export function sendMachine(connection: object, port: MessagePort): void {
  try {
    if (!handsOver(connection)) throw new TypeError('This sandbox hands nothing over');
    const { machine, transfer } = connection.handOver();
    port.postMessage(machine, [...transfer]);
  } catch (error) {
    port.close();
    throw error;
  }
}

/** The machine that the other end of `port` sends; nothing where it is closed without. */
export function receiveMachine(port: MessagePort): Promise<object | undefined> {
  return new Promise((resolve) => {
    port.addEventListener('message', ({ data }: MessageEvent<object>) => resolve(data));
    port.addEventListener('close', () => resolve(undefined));
    port.start();
  }).finally(() => port.close()) as Promise<object | undefined>;
}
