import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import golden from '../../test/fixtures/init-frames.json' with { type: 'json' };
import { buildInit } from './test/agent.ts';

const marker = 'f5c099b1cea7d28ee394bb86daadc9f8';
let build: ReturnType<typeof buildInit>;
/** What the C program said, by kind and name. */
let said: Map<string, string>;

beforeAll(() => {
  build = buildInit();
  const input = golden.host.map(({ name, hex }) => `${name} ${hex}\n`).join('');
  const output = execFileSync(build.frameTest, {
    input: `${input}too-long 0b000000010000000100010000000000\n`,
    encoding: 'utf8',
  });
  const lines = output.trimEnd().split('\n');
  said = new Map(lines.map((line) => /^(\S+ \S+)(.*)$/.exec(line)?.slice(1) as [string, string]));
});
afterAll(() => build.remove());

describe('golden frames in C', () => {
  test.each(golden.host)('$name of the host is read the same whole and byte by byte', ({ name, hex }) => {
    const whole = said.get(`whole ${name}`);
    expect(said.get(`bytes ${name}`)).toBe(whole);
    expect(framesOf(hex)).toBe(whole?.replace(/ flags=.*/, ''));
  });

  test('EXEC is taken apart into what the host put in', () => {
    expect(said.get('whole exec')).toMatch(
      / flags=2 columns=0 rows=0 window=262144 cwd= argv=echo,hä env=A=1,B=$/,
    );
    expect(said.get('whole exec-status')).toMatch(
      / flags=18 columns=0 rows=0 window=262144 cwd= argv=\/bin\/bash,-s env=$/,
    );
    expect(said.get('whole exec-terminal')).toMatch(
      / flags=7 columns=132 rows=50 window=65536 cwd=\/home\/user argv=\/bin\/bash env=$/,
    );
  });

  test('CONNECT is taken apart into what the host put in', () => {
    expect(said.get('whole connect')).toMatch(/ flags=10 port=8080 window=262144$/);
  });

  test.each(golden.init.filter(({ name }) => name !== 'processes'))(
    '$name of init has these bytes',
    ({ name, hex }) => {
      expect(said.get(`sent ${name}`)).toBe(` ${hex}`);
    },
  );

  test('a header out of bounds is bad, and said once (IP-3)', () => {
    expect(said.get('whole too-long')).toBe(' bad');
    expect(said.get('bytes too-long')).toBe(' bad');
  });

  test('a frame that was half written is sent again whole after a resync (IP-5)', () => {
    const resync = golden.init.find(({ name }) => name === 'resync')?.hex;
    expect(said.get('resent torn=4096')).toBe(` then=4096 ${resync}23000000070000008813000000000000787878`);
  });
});

/** How the C program prints the frames in `hex`. */
function framesOf(hex: string): string {
  let rest = Buffer.from(hex, 'hex');
  let printed = '';
  while (rest.length > 0) {
    if (rest.toString('hex').startsWith(marker)) {
      printed += ' resync';
      rest = rest.subarray(16);
      continue;
    }
    const end = 16 + rest.readUInt32LE(8);
    printed += ` type=${rest[0]} id=${rest.readUInt32LE(4)} body=${rest.subarray(16, end).toString('hex')}`;
    rest = rest.subarray(end);
  }
  return printed;
}
