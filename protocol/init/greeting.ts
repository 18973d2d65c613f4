import { initProtocolVersion, nonceBytes } from './frame-header.ts';
import { helloBeacon } from './frame-parser.ts';
import { encodeHostFrame } from './host-frames.ts';

/** A prepared HELLO with an unpredictable nonce. Made ahead of time, since a restored machine waits for it. */
export interface Greeting {
  /** The frame. */
  readonly bytes: Uint8Array;
  /** The first bytes of the answer. */
  readonly beacon: Uint8Array;
}

export function makeGreeting(): Greeting {
  const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
  const bytes = encodeHostFrame({ type: 'hello', versions: [initProtocolVersion], nonce });
  return { bytes, beacon: helloBeacon(nonce) };
}
