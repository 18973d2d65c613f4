import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Notices } from './notices.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(): { notices: Notices; log: string[]; add: (text: string) => void } {
  const notices = new Notices();
  const log: string[] = [];
  const add = (text: string): void =>
    notices.add({
      text,
      tone: 'info',
      action: { label: 'Undo', run: () => log.push(`undo ${text}`) },
      onExpire: () => log.push(`done ${text}`),
    });
  return { notices, log, add };
}

test('what a notice announces happens when its time is over', () => {
  const { notices, log, add } = open();
  add('a');
  vi.advanceTimersByTime(11_999);
  expect([notices.shown.length, log]).toEqual([1, []]);
  vi.advanceTimersByTime(1);
  expect([notices.shown.length, log]).toEqual([0, ['done a']]);
});

test('an undo keeps it from happening', () => {
  const { notices, log, add } = open();
  add('a');
  notices.act(notices.shown[0]?.key ?? 0);
  vi.advanceTimersByTime(60_000);
  expect([notices.shown.length, log]).toEqual([0, ['undo a']]);
});

test('time stands still while someone reads (WCAG 2.2.1)', () => {
  const { notices, log, add } = open();
  add('a');
  notices.hold(true);
  add('b');
  vi.advanceTimersByTime(60_000);
  expect(log).toEqual([]);
  notices.hold(false);
  vi.advanceTimersByTime(12_000);
  expect(log).toEqual(['done a', 'done b']);
});

test('a fifth notice sends the first away', () => {
  const { notices, log, add } = open();
  for (const text of ['a', 'b', 'c', 'd', 'e']) add(text);
  expect([notices.shown.map(({ text }) => text), log]).toEqual([['b', 'c', 'd', 'e'], ['done a']]);
});

test('a notice about what an earlier one was about takes its place: one Undo at a time is of use', () => {
  const { notices, add } = open();
  const pane = {};
  const undo = { label: 'Undo', run: () => undefined };
  notices.add({ text: 'went back', tone: 'info', about: pane, action: undo });
  add('a');
  notices.add({ text: 'went forward', tone: 'info', about: pane, action: undo });
  expect(notices.shown.map(({ text }) => text)).toEqual(['a', 'went forward']);
  notices.dismissAbout(pane);
  expect(notices.shown.map(({ text }) => text)).toEqual(['a']);
});
