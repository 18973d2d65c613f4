import type { Terminal } from '@xterm/xterm';

/** What of xterm.js its own interface does not reach: it places its scroll bar with each new line, which takes longer than the line. */
interface XtermViewport {
  _isSyncing: boolean;
  _sync(): void;
}

/** Has a terminal take many lines without placing its scroll bar, until what it answers with is called, which places it. */
export function holdViewport(terminal: Terminal): () => void {
  const core = (terminal as unknown as { readonly _core: { readonly _viewport?: XtermViewport } })._core;
  const viewport = core._viewport;
  if (viewport === undefined) return () => undefined;
  viewport._isSyncing = true;
  return () => {
    viewport._isSyncing = false;
    viewport._sync();
  };
}
