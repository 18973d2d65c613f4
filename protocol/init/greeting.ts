import { initProtocolVersion, nonceBytes } from './frame-header.ts';
import { helloBeacon } from './frame-parser.ts';
import { encodeHostFrame } from './host-frames.ts';

/** A HELLO that nobody can foresee, ready to be said. Made when there is time: a machine that is put back waits for it. */
export interface Greeting {
  /** The frame. */
  readonly bytes: Uint8Array;
  /** What the answer begins with. */
  readonly beacon: Uint8Array;
}

export function makeGreeting(): Greeting {
  const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
  const bytes = encodeHostFrame({ type: 'hello', versions: [initProtocolVersion], nonce });
  return { bytes, beacon: helloBeacon(nonce) };
}
