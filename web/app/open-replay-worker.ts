import { openReplayLink, type ReplayLink } from '../transports/replay-link.ts';

/** A worker that reads recordings, for one player. */
export function openReplayWorker(): ReplayLink {
  return openReplayLink(
    () =>
      new Worker(new URL('../replay/main.ts', import.meta.url), { type: 'module', name: 'coppice replay' }),
  );
}
