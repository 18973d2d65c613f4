import { describe, expect, test } from 'vitest';
import { ConsoleLog } from './console-log.ts';

function say(text: string): { log: ConsoleLog; reasons: string[] } {
  const log = new ConsoleLog();
  const reasons: string[] = [];
  log.onStop = (reason) => reasons.push(reason);
  for (const byte of new TextEncoder().encode(text)) log.push(byte);
  return { log, reasons };
}

describe("the kernel's console", () => {
  test.each([
    ['Kernel panic - not syncing: Attempted to kill init!', 'kernel panic: Attempted to kill init!'],
    ['reboot: Restarting system', 'Restarting system'],
    ['reboot: System halted', 'System halted'],
    ['sysrq: Resetting', 'Resetting'],
  ])('%s: the end is told once', (words, reason) => {
    const { reasons } = say(`[    1.5] ${words}\r\n---[ end ${words} ]---\r\n`);
    expect(reasons).toEqual([reason]);
  });

  test('what is no end is not told; the tail is bounded', () => {
    const { log, reasons } = say(`reboot: what?\n${'x'.repeat(100_000)}\nlast\n`);
    expect(reasons).toEqual([]);
    expect(log.tail.length).toBeLessThanOrEqual(32_768);
    expect(log.tail.endsWith('last\n')).toBe(true);
  });
});
