import { describe, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { ShellReports } from './shell-report.ts';

const texts = [
  '3',
  '7',
  '/tmp/é',
  '',
  '12\n',
  'shopt -s a\n',
  'declare -- A="1"\n',
  '',
  'umask 0022\n',
  '',
  '',
  'set +o b\n',
];
const encode = (parts: readonly string[]) =>
  new TextEncoder().encode(parts.map((text) => `${text}\0`).join(''));

describe('S-3 reports of a shell', () => {
  test('are read wherever the stream is cut', () => {
    const bytes = encode([...texts, ...texts.with(0, '4')]);
    for (let size = 1; size <= bytes.length; size++) {
      const reports = new ShellReports();
      const read = [];
      for (let at = 0; at < bytes.length; at += size)
        read.push(...reports.push(bytes.subarray(at, at + size)));
      expect(read.map(({ number }) => number)).toEqual([3, 4]);
      expect(read[0]).toMatchObject({
        status: 7,
        cwd: '/tmp/\u00c3\u00a9',
        jobs: '12\n',
        variables: 'declare -- A="1"\n',
      });
    }
  });

  test('leave out a part that is too long, and keep the rest', () => {
    const [report] = new ShellReports().push(encode(texts.with(6, 'x'.repeat(limits.shellStateBytes + 1))));
    expect(report).toMatchObject({ variables: undefined, settings: 'set +o b\n' });
  });

  test('H-9 that are none, or go on for ever, are refused', () => {
    for (const number of ['', 'x', '-1', '1e3', '9'.repeat(30)]) {
      const push = () => new ShellReports().push(encode(texts.with(0, number)));
      expect(push).toThrow(expect.objectContaining({ code: 'machine-failed' }));
    }
    const reports = new ShellReports();
    const endless = new Uint8Array(1_048_576).fill(0x61);
    const push = () => {
      for (let bytes = 0; bytes <= limits.shellReportBytes; bytes += endless.length) reports.push(endless);
    };
    expect(push).toThrow(expect.objectContaining({ code: 'machine-failed' }));
  });

  test('without a directory leave the shell where it begins', () => {
    for (const cwd of ['', 'tmp', `/${'x'.repeat(limits.nativePathBytes)}`]) {
      expect(new ShellReports().push(encode(texts.with(2, cwd)))[0]?.cwd).toBe('.');
    }
  });
});
