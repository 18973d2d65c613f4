import type { Terminal } from '@xterm/xterm';

/**
 * Has a terminal give emoji and other wide characters the width that programs count with. Its tables are loaded when the
 * first such character comes: a start does without. A terminal without them works, with narrower emoji.
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
