import { describe, expect, test } from 'vitest';
import type { RecordingEvent } from '../format/recording-event.ts';
import { recordingLimits } from '../limits.ts';
import { SecretReplacer } from './secret-replacer.ts';

const salt = 'salt';
// Put together here, so that no scanner of secrets takes this file for a leak.
const github = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
const anthropic = `sk-ant-${'api03-Zx8Kq2Lm9Wn4Rt7Yv1Bc6Df3'}`;
const jwt = `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJ${'zdWIiOiIxMjM0NTYifQ'}.${'dBjftJeZ4CVPmB92K27uhbUJU1p1r'}`;
const key = `-----BEGIN OPENSSH ${'PRIVATE'} KEY-----\n${'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n'.repeat(9)}-----END OPENSSH ${'PRIVATE'} KEY-----`;
const random = 'q7Rk2LmX9vBt4WzN8cHs5JdF3gYp6TeA1uQo';

function replaced(text: string, replacer = new SecretReplacer({ salt })): string {
  return replacer.replace(text).replaceAll(/:[0-9a-f]{8}>/g, '>');
}

describe('texts', () => {
  test.each([
    ['a token of GitHub', `token is ${github}.`, 'token is <secret:token>.'],
    ['a key of a model', `export K=${anthropic}\n`, 'export K=<secret:token>\n'],
    ['a JWT', `{"jwt":"${jwt}"}`, '{"jwt":"<secret:jwt>"}'],
    ['a private key', `$ cat id\n${key}\n$ `, '$ cat id\n<secret:private-key>\n$ '],
    ['a private key that was cut', key.slice(0, 200), '<secret:private-key>'],
    [
      'a password in a URL',
      'git clone https://me:hunter2pass@host/x',
      'git clone https://me:<secret:password>@host/x',
    ],
    ['a header', 'Authorization: Bearer abcDEF123456789', 'Authorization: Bearer <secret:authorization>'],
    ['an assignment', 'DB_PASSWORD=correct-horse-9', 'DB_PASSWORD=<secret:password>'],
    ['an option', 'login --password s3cret-thing now', 'login --password <secret:password> now'],
    ['a random text', `x ${random} y`, 'x <secret:random> y'],
  ])('%s is replaced', (_, text, expected) => {
    expect(replaced(text)).toBe(expected);
    expect(replaced(replaced(text))).toBe(expected);
  });

  test.each([
    ['the id of a commit', 'commit 3f786850e387550fdab836ed7e6dc881de23001b'],
    ['a checksum', 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  file'],
    [
      'a checksum in base64',
      'integrity sha512-tbZNuJrLwGUp3zshBtdy4W+ORxZuIh8a5ilyIEQDC5rY1f3U20JMry0Ll3WBzU58EZKsEuJFXhb5gwv8CsPvgA==',
    ],
    ['a fingerprint', 'SHA256:uNiVztksCsDhcc0u9e8BrQNfRnR2kQ1Zp3xXnOaTg7E user@host'],
    ['a UUID', 'id 123e4567-e89b-12d3-a456-426614174000'],
    ['a path', 'src/components/NavigationDrawer2/NavigationDrawerItemContainerView1'],
    ['a long name', 'getServerSidePropertiesWithFallbackForVersion2OfTheApi'],
    [
      'a line of a program',
      'const password = await readPassword2(stdin); token = parser.token1; apiKey: string',
    ],
    ['a public key', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGk3n8Xq2Lm9Wn4Rt7Yv1Bc6Df3Zx8Kq2Lm9Wn4Rt me'],
    ['lines of base64', `${random}${random}aaaa\r\n${random}${random}bbbb\r\n${random}${random}cccc\r\n`],
    ['a port', 'http://localhost:8080/a@b'],
  ])('%s is not', (_, text) => {
    expect(replaced(text)).toBe(text);
  });

  test('known values are replaced in all ways that they are written, and counted', () => {
    const environments = [
      {
        API_TOKEN: 'tok "en"/value',
        SSH_AUTH_SOCK: '/tmp/agent.1',
        DATABASE_URL: 'pg://u:dbpassword@h/x',
        PATH: '/usr/bin',
      },
    ];
    const replacer = new SecretReplacer({ salt, environments, secrets: ['line one\nline two', 'no'] });
    const text =
      'tok "en"/value|tok \\"en\\"/value|tok%20%22en%22%2Fvalue|dG9rICJlbiIvdmFsdWU=|dbpassword|line one\r\nline two';
    const once = replacer.replace(text);
    expect(once.replaceAll(/:[0-9a-f]{8}>/g, '>')).toBe(Array(6).fill('<secret:value>').join('|'));
    const [first, second] = once.split('|');
    expect(second).toBe(first);
    expect(replacer.counts).toEqual({ value: 6 });
    expect(replacer.replace('no /tmp/agent.1 /usr/bin')).toBe('no /tmp/agent.1 /usr/bin');
    const other = new SecretReplacer({ secrets: ['tok "en"/value'] });
    expect(other.replace('tok "en"/value')).not.toBe(first);
  });

  test('a text that is made to be slow is not', () => {
    const texts = [
      '-----BEGIN PRIVATE KEY-----',
      'a://b:',
      'password=',
      'eyJaaaaaaaaa.',
      'Bearer ',
      'sha256-',
      'A1b',
      '"',
    ];
    // A slow one takes minutes.
    for (const text of texts) new SecretReplacer({ salt }).replace(text.repeat(200_000 / text.length));
  });
});

describe('events', () => {
  const output = (data: string): RecordingEvent => ({ type: 'output', terminal: 1, data });
  const shown = (events: readonly RecordingEvent[]): string =>
    events.map((event) => (event.type === 'output' ? event.data : '')).join('');

  test.each([
    github,
    anthropic,
    jwt,
    key,
    `https://me:hunter2pass@host`,
    'a known value',
    `x="${random}"`,
    'PASSWORD=correct-horse-9',
  ])('a secret in two pieces of output is found, wherever it is cut: %s', (secret) => {
    const before = 'some output that comes before\r\n';
    const whole = replaced(
      `${before}${secret} after`,
      new SecretReplacer({ salt, secrets: ['a known value'] }),
    );
    for (let cut = 1; cut < secret.length; cut += secret.length > 100 ? 7 : 1) {
      const replacer = new SecretReplacer({ salt, secrets: ['a known value'] });
      const events = [
        ...replacer.event(output(before + secret.slice(0, cut))),
        ...replacer.event(output(`${secret.slice(cut)} after`)),
        ...replacer.event({ type: 'end', exitCode: 0 }),
      ];
      expect(shown(events).replaceAll(/:[0-9a-f]{8}>/g, '>')).toBe(whole);
    }
  });

  test('what somebody types is not held, nor a prompt when nothing follows', () => {
    const replacer = new SecretReplacer({ salt });
    const typed = [...'ls -la'].flatMap((character) => replacer.event(output(character)));
    expect(shown(typed)).toBe('ls -la');
    expect(shown(replacer.event(output('\r\nPassword: ')))).not.toContain('Password');
    expect(shown(replacer.settle())).toContain('Password: ');
    replacer.event(output(`the token: ${github.slice(0, 20)}`));
    expect(replacer.settle()).toEqual([]);
  });

  test('output of one terminal does not wait for that of another, and stays before what ends it', () => {
    const replacer = new SecretReplacer({ salt });
    expect(replacer.event(output(`a long line of output ${github.slice(0, 9)}`)).length).toBe(1);
    const other: RecordingEvent = { type: 'output', terminal: 2, data: 'a line of another\r\n' };
    expect(replacer.event(other)).toEqual([other]);
    const end: RecordingEvent = { type: 'command-end', command: 1, exitCode: 0, durationMs: 1 };
    expect(replacer.event(end)).toEqual([output(github.slice(0, 9)), end]);
  });

  test('what is held is bounded', () => {
    const replacer = new SecretReplacer({ salt });
    const lines = Array.from({ length: 100 }, () => replacer.event(output(key.slice(0, 360))));
    expect(lines.some((events) => events.length > 0)).toBe(true);
    expect(shown([...lines.flat(), ...replacer.release()])).not.toContain('b3BlbnNzaC1r');
    expect(recordingLimits.heldOutputCharacters).toBeLessThan(100 * 360);
  });

  test('each text of an event is looked at, and no id is touched', () => {
    const id = 'c0ffee'.padEnd(64, '0');
    const replacer = new SecretReplacer({ salt });
    const events: RecordingEvent[] = [
      {
        type: 'command',
        command: 1,
        text: `curl ${github}`,
        argv: ['curl', github],
        by: 'exec',
        terminal: 1,
      },
      {
        type: 'call',
        id: random,
        tool: 'bash',
        arguments: { env: [{ password: 'hunter22' }], text: github },
        snapshot: id,
      },
      { type: 'foreign', format: 'codex', line: JSON.stringify({ text: github }) },
      { type: 'message', role: 'assistant', text: `It is ${github}`, id: random },
    ];
    const got = JSON.stringify(events.flatMap((event) => replacer.event(event)));
    expect(got).not.toContain(github);
    expect(got).not.toContain('hunter22');
    expect(got.split(random).length - 1).toBe(2);
    expect(got).toContain(id);
  });
});
