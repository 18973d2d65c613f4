import { limits } from '../../limits.ts';
import type { Transport } from './transport.ts';

/** What the `MessagePort` of a browser and that of Node have in common. */
export interface PortLike {
  postMessage(message: unknown): void;
  start(): void;
  close(): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: () => void): void;
}

/** Taken bytes are told of once they are this many: a quarter of what may wait. */
const tellEveryBytes = limits.transportBufferBytes / 4;
/** So that empty messages count. */
const messageCostBytes = 16;

/**
 * A transport over a MessagePort, with the same at the other end. A port says neither how much waits in
 * it nor, everywhere, that its peer is gone; so besides bytes (a message) there are numbers (bytes that
 * the other end has taken) and text (why it closes).
 */
export function portTransport(port: PortLike): Transport {
  let isOver = false;
  let underWay = 0;
  let taken = 0;
  let room = Promise.withResolvers<void>();
  const end = (): void => {
    isOver = true;
    room.resolve();
    port.close();
  };
  const close = (reason: string): void => {
    if (isOver) return;
    end();
    transport.closed(reason);
  };
  const take = (message: Uint8Array): void => {
    taken += message.length + messageCostBytes;
    if (taken >= tellEveryBytes) {
      port.postMessage(taken);
      taken = 0;
    }
    transport.receive(message);
  };
  const transport: Transport = {
    send: (message) => {
      if (isOver) return;
      underWay += message.length + messageCostBytes;
      port.postMessage(whole(message));
      return underWay > limits.transportBufferBytes ? room.promise : undefined;
    },
    receive: () => {},
    closed: () => {},
    abort: (reason) => {
      if (isOver) return;
      port.postMessage(reason);
      end();
    },
  };
  port.addEventListener('message', ({ data }) => {
    if (isOver) return;
    if (data instanceof Uint8Array) return take(data);
    if (typeof data !== 'number' || !(data > 0 && data <= underWay)) {
      return close(
        typeof data === 'string' ? `the peer closed it (${data})` : 'the peer sent what cannot be',
      );
    }
    underWay -= data;
    if (underWay > limits.transportBufferBytes / 2) return;
    room.resolve();
    room = Promise.withResolvers();
  });
  port.addEventListener('close', () => close('the port was closed'));
  port.start();
  return transport;
}

/** A port copies all of the buffer that a view is of, and shows it to the peer. */
function whole(message: Uint8Array): Uint8Array {
  return message.byteLength === message.buffer.byteLength ? message : message.slice();
}
