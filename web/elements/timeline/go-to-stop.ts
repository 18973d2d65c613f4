import { act } from '../model/actions.ts';
import type { Scrubbing } from '../model/sandbox-state.ts';
import type { Stop } from './timeline-stops.ts';

/** What of the past a stop is; nothing is now. */
export function stateOf(stop: Stop | undefined): Pick<Scrubbing, 'snapshot' | 'checkpoint'> {
  return {
    checkpoint: stop?.type === 'checkpoint' ? stop.checkpoint.id : undefined,
    snapshot: stop?.type === 'snapshot' ? stop.snapshot.id : undefined,
  };
}

/** Asks the page to go back to a stop of the past. */
export function goToStop(element: EventTarget, stop: Stop | undefined): void {
  if (stop !== undefined && stop.type !== 'now') act(element, { type: 'go-back', ...stateOf(stop) });
}
