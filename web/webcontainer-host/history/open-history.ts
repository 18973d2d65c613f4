// `webcontainer-history.js` of the site: what a page that boots WebContainer against this site imports to go back in time. It
// has no other file, so that it can be copied.

/** A snapshot of the instance's files. */
export interface HistoryEntry {
  readonly id: string;
  readonly tags: readonly string[];
  readonly takenAtMs: number;
  readonly changes: {
    readonly created: number;
    readonly modified: number;
    readonly deleted: number;
    readonly paths: readonly string[];
  };
}

/** The past of the page's WebContainer. */
export interface WebContainerHistory {
  /** Names this instant. Resolves to the snapshot's id when it is durable. */
  snapshot(label?: string): Promise<string>;
  /** The way from now to the beginning, newest first. */
  log(): Promise<HistoryEntry[]>;
  /** Ends every process and puts the files back, to an id, the start of one, a tag or `HEAD`. What was left is a snapshot too. */
  checkout(snapshot: string): Promise<{ readonly head: string; readonly previousHead: string }>;
  /** Makes another sandbox that goes on from there, and stays: an instance with the setting `sandbox=<id>` opens it. */
  fork(snapshot?: string): Promise<string>;
  close(): void;
}

const answerMs = 5_000;

/**
 * Opens the history of the instance that was booted in this page. `frame` is the hidden one that the package has added, found by
 * its address. Rejects where there is none, or none of ours; errors of calls have a `code`.
 */
export async function openHistory(
  frame: HTMLIFrameElement | null = document.querySelector('iframe[src*="/headless?"]'),
): Promise<WebContainerHistory> {
  const target = frame?.contentWindow;
  if (!frame || !target)
    throw new Error('No WebContainer is booted in this page: call WebContainer.boot() first');
  const { port1: port, port2 } = new MessageChannel();
  const calls = new Map<number, PromiseWithResolvers<unknown>>();
  let count = 0;
  const call = (method: string, argument?: unknown): Promise<never> => {
    const id = count++;
    const answer = Promise.withResolvers<unknown>();
    calls.set(id, answer);
    port.postMessage({ id, method, argument });
    return answer.promise as Promise<never>;
  };
  const ready = Promise.withResolvers<void>();
  port.onmessage = ({ data: { id, value, error } }) => {
    if (id === undefined) return ready.resolve();
    const answer = calls.get(id);
    calls.delete(id);
    if (error === undefined) answer?.resolve(value);
    else answer?.reject(Object.assign(new Error(error.message), error));
  };
  target.postMessage({ type: 'coppice-history' }, new URL(frame.src).origin, [port2]);
  const why = `${new URL(frame.src).origin} has no history: it is no host of Coppice, or an older one`;
  const timer = setTimeout(() => ready.reject(new Error(why)), answerMs);
  await ready.promise.finally(() => clearTimeout(timer));
  return {
    snapshot: (label) => call('snapshot', label),
    log: () => call('log'),
    checkout: (snapshot) => call('checkout', snapshot),
    fork: (snapshot) => call('fork', snapshot),
    close: () => {
      port.close();
      for (const answer of calls.values()) answer.reject(new Error('The history was closed'));
      calls.clear();
    },
  };
}
