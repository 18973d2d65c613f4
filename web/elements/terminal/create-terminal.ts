import { FitAddon } from '@xterm/addon-fit';
import { WebLinksAddon } from '@xterm/addon-web-links';
import type { ITerminalOptions, Terminal } from '@xterm/xterm';
import { BoundedTerminal } from './bounded-terminal.ts';

const scrollbackLines = 5_000;
/** How soon after Escape a Tab still means "leave the terminal". */
const escapeChordMs = 1_000;

/** The page's handlers of terminal events. */
export interface TerminalCallbacks {
  /** The user followed a link whose text the sandbox may have forged: the page asks before it opens it. */
  readonly onLink: (uri: string) => void;
  readonly onPalette: () => void;
}

/** Settings from the user's preferences and the page's theme. */
export type TerminalLook = Pick<ITerminalOptions, 'theme' | 'fontFamily' | 'fontSize' | 'screenReaderMode'>;

/**
 * An xterm.js terminal as this page wants it. Escape, then Tab leaves it, so the keyboard is never
 * trapped; the clipboard is read and written by the user's keys only (no OSC 52).
 */
export function createTerminal(
  look: TerminalLook,
  callbacks: TerminalCallbacks,
): { terminal: Terminal; fit: FitAddon } {
  const terminal = new BoundedTerminal({
    ...look,
    scrollback: scrollbackLines,
    cursorBlink: false,
    minimumContrastRatio: 4.5,
    // The widths of characters are still a proposed API.
    allowProposedApi: true,
    linkHandler: { activate: (_event, uri) => callbacks.onLink(uri), allowNonHttpProtocols: false },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(new WebLinksAddon((_event, uri) => callbacks.onLink(uri)));
  terminal.attachCustomKeyEventHandler(keyHandler(terminal, callbacks));
  return { terminal, fit };
}

/** Answers false for keys that the page handles, and not the shell. */
function keyHandler(terminal: Terminal, callbacks: TerminalCallbacks): (event: KeyboardEvent) => boolean {
  let escapedAt = Number.NEGATIVE_INFINITY;
  return (event) => {
    if (event.type !== 'keydown') return true;
    const afterEscape = event.timeStamp - escapedAt < escapeChordMs;
    if (event.key === 'Tab' && afterEscape) return false;
    if (event.key !== 'Shift') {
      escapedAt = event.key === 'Escape' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    }
    if (isPaletteKey(event)) {
      event.preventDefault();
      event.stopPropagation();
      callbacks.onPalette();
      return false;
    }
    const copies = event.ctrlKey && event.shiftKey && event.code === 'KeyC';
    if (copies && terminal.hasSelection()) {
      event.preventDefault();
      void navigator.clipboard.writeText(terminal.getSelection());
      return false;
    }
    // The browser pastes by itself; xterm takes it from the paste event.
    return !(event.ctrlKey && event.shiftKey && event.code === 'KeyV');
  };
}

/** Ctrl+K cuts a line in the shell, so inside the terminal the palette has Ctrl+Shift+K, or Cmd+K. */
function isPaletteKey(event: KeyboardEvent): boolean {
  return event.code === 'KeyK' && (event.metaKey || (event.ctrlKey && event.shiftKey));
}
