import { act } from '../model/actions.ts';
import type { Stop } from './timeline-stops.ts';

/** Asks the page to go to a stop: restores a checkpoint, or checks out a snapshot. */
export function goToStop(element: EventTarget, stop: Stop | undefined): void {
  if (stop?.type === 'checkpoint') act(element, { type: 'go-to-checkpoint', checkpoint: stop.checkpoint.id });
  else if (stop?.type === 'snapshot') act(element, { type: 'checkout', id: stop.snapshot.id });
}
