import { Begun } from '../../recording/edit/cut-session.ts';
import { EarlierEvents } from '../../recording/edit/earlier-events.ts';
import type { HistorySnapshot } from '../../tree/history/history.ts';
import type { ShownEvent } from '../output-log/read-output.ts';

type Instant = Pick<HistorySnapshot, 'id' | 'takenAtMs'>;

/** Snapshots; from the beginning, and to the end, where it does not say. */
export interface OutputRange {
  readonly from: Instant | undefined;
  readonly to: Instant | undefined;
}

/** The output says where a snapshot was taken, a moment after it was. Where that is lost, the clock does. */
export const headSlackMs = 5_000;

/** What was shown in a range, which begins with terminals as they were. `isLast`: of those that were read together. */
export async function* outputWithin(
  output: AsyncIterable<readonly ShownEvent[]>,
  { from, to }: OutputRange,
): AsyncGenerator<ShownEvent & { readonly isLast: boolean }> {
  let earlier = from && new EarlierEvents();
  const begun = new Begun();
  const begin = () => {
    const terminals = earlier?.take() ?? [];
    earlier = undefined;
    return terminals.map((event) => ({ atMs: from?.takenAtMs ?? 0, event, isLast: false }));
  };
  for await (const events of output) {
    for (const [index, { atMs, event }] of events.entries()) {
      const isHead = event.type === 'head';
      if (earlier && from) {
        if ((isHead && event.id === from.id) || atMs > from.takenAtMs + headSlackMs) yield* begin();
        else if (!isHead) earlier.add(event);
        if (earlier) continue;
      }
      if (to && atMs > to.takenAtMs + headSlackMs) return;
      if (begun.add(event)) yield { atMs, event, isLast: index === events.length - 1 };
      if (to && isHead && event.id === to.id) return;
    }
  }
  yield* begin();
}
