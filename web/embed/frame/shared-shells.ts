import type { EmbedStart } from '../../transports/embed-worker.ts';

/** Takes the ports of a frame to the worker of shells. */
type ShellsOffer = (start: EmbedStart) => void;

/** Only pages of this origin can read it of another's window. */
const offerName = 'coppiceShells';

/**
 * Makes this frame the one that has the worker of shells for all embeds of the page around it. (A `SharedWorker` is refused to frames of
 * another site where browsers keep their storage from them, which is usual.)
 */
export function offerShells(): void {
  const worker = new Worker(new URL('../../worker/embed/shells.ts', import.meta.url), {
    type: 'module',
    name: 'shells',
  });
  const offer: ShellsOffer = (start) => worker.postMessage(start, [start.backend, start.life]);
  Object.defineProperty(globalThis, offerName, { value: offer });
}

/** That of a frame of this origin beside this one, in the page `around` them. */
export function findShells(around: Window): ShellsOffer | undefined {
  for (let at = 0; at < Math.min(around.length, mostFrames); at++) {
    const beside = around[at] as unknown as Readonly<Record<string, unknown>>;
    try {
      const offer = beside[offerName];
      if (typeof offer === 'function') return offer as ShellsOffer;
    } catch {
      // It is of another origin.
    }
  }
  return undefined;
}

/** Of a page, among which it is looked for. */
const mostFrames = 1_000;
