import { limits } from '../../../protocol/limits.ts';

export interface AheadOptions {
  /** Fetches what the first commands read. */
  readonly prefetch: () => Promise<void>;
  /** Keeps the image for use without network. */
  readonly keepOffline: () => Promise<void>;
  /** Ends what has not begun. */
  readonly signal: AbortSignal;
}

/** Waits a while: the first prompt comes before it. What is read sooner is fetched when it is read. */
export function fetchAhead({ prefetch, keepOffline, signal }: AheadOptions): void {
  const report = (error: unknown) => console.info('Not fetched ahead:', error);
  const first = setTimeout(() => prefetch().catch(report), limits.prefetchDelayMs);
  const rest = setTimeout(() => keepOffline().catch(report), limits.offlineDelayMs);
  const end = () => {
    clearTimeout(first);
    clearTimeout(rest);
  };
  signal.addEventListener('abort', end, { once: true });
}
