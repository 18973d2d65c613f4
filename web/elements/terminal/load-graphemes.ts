import type { Terminal } from '@xterm/xterm';

/**
 * Gives emoji and other wide characters in a terminal the width that programs expect. Loads its tables with the
 * first such character, so that a start does not wait for them. Without them a terminal works, with narrower emoji.
 */
export async function loadGraphemes(terminal: Terminal): Promise<void> {
  try {
    const { UnicodeGraphemesAddon } = await import('@xterm/addon-unicode-graphemes');
    terminal.loadAddon(new UnicodeGraphemesAddon());
  } catch (error) {
    console.info('Wide characters are as wide as xterm knows:', error);
  }
}

/** Whether all of it is ASCII, which any terminal gives one column. */
export function isAscii(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte > 127) return false;
  return true;
}
