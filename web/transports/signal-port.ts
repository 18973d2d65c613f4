import { transfer } from 'comlink';

/**
 * Makes a call whose other side is told when `signal` aborts: an `AbortSignal` cannot be sent, so a
 * port goes in its place, which is closed when the call is over.
 */
export async function withSignalPort<T>(
  signal: AbortSignal | undefined,
  call: (port: MessagePort | undefined) => Promise<T>,
): Promise<T> {
  if (!signal) return call(undefined);
  const { port1, port2 } = new MessageChannel();
  const tell = () => port1.postMessage('abort');
  if (signal.aborted) tell();
  signal.addEventListener('abort', tell, { once: true });
  try {
    return await call(transfer(port2, [port2]));
  } finally {
    signal.removeEventListener('abort', tell);
    port1.close();
  }
}

/** The signal on the other side of the port. */
export function signalOfPort(port: MessagePort | undefined): AbortSignal | undefined {
  if (!port) return undefined;
  const controller = new AbortController();
  port.onmessage = () => controller.abort();
  return controller.signal;
}
