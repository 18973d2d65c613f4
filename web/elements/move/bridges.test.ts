import { describe, expect, test } from 'vitest';
import { bridgeName, isBridgeToken, parseBridgeUrl, readBridgeLink } from './bridge-address.ts';
import { BridgeBook, type Exclusively } from './bridge-book.ts';
import { BridgeLink, type ConnectBridge } from './bridge-link.ts';

const entry = { url: 'http://127.0.0.1:7070', token: 'cpc_a' };

describe('the address of a bridge', () => {
  test.each([
    [' localhost:7070 ', 'http://localhost:7070'],
    ['ws://127.0.0.1:7070/', 'http://127.0.0.1:7070'],
    ['wss://user:pass@bridge.example.org/lab/?q#f', 'https://bridge.example.org/lab'],
    ['http://[::1]:1', 'http://[::1]:1'],
  ])('%j is kept as %s', (text, url) => {
    expect(parseBridgeUrl(text)).toEqual({ url });
  });

  test.each(['', 'http://', 'ftp://bridge.example.org', 'http://bridge.example.org', 'javascript:alert(1)'])(
    '%j is told why it is none',
    (text) => expect(parseBridgeUrl(text)).toEqual({ why: expect.stringMatching(/\.$/) }),
  );

  test('a link names one with its token, or none', () => {
    expect(readBridgeLink('#bridge=http%3A%2F%2F127.0.0.1%3A7070&token=cpc_a')).toEqual(entry);
    for (const hash of [
      '',
      '#s=1',
      '#bridge=http://127.0.0.1',
      '#bridge=http://x.example&token=a',
      '#bridge=localhost&token=a%20b',
    ]) {
      expect(readBridgeLink(hash)).toBeUndefined();
    }
    expect([isBridgeToken('cpc_a-b.c'), isBridgeToken('a b'), isBridgeToken('')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(bridgeName('https://bridge.example.org:8443/lab')).toBe('bridge.example.org:8443/lab');
  });
});

describe('the bridges that are known', () => {
  const shelf = (text?: string) => {
    const kept = new Map(text === undefined ? [] : [['coppice.bridges', text]]);
    return {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    };
  };

  const alone: Exclusively = async (work) => work();

  test('outlive the tab only if they are to be remembered; a new token takes the place of the old', async () => {
    const shelves = { session: shelf(), local: shelf() };
    const book = new BridgeBook(shelves, alone);
    await book.add({ ...entry, remembered: false });
    await book.add({ ...entry, token: 'cpc_b', remembered: true });
    await book.add({ url: 'https://b.example', token: 'c', remembered: false });
    expect(new BridgeBook({ session: shelf(), local: shelves.local }, alone).known).toEqual([
      { ...entry, token: 'cpc_b', remembered: true },
    ]);
    await book.remove(entry.url);
    expect(new BridgeBook(shelves, alone).known).toEqual([
      { url: 'https://b.example', token: 'c', remembered: false },
    ]);
  });

  test('that two tabs remember are all kept, whichever writes last, and one tab has none of the other', async () => {
    const local = shelf();
    const [one, other] = [shelf(), shelf()].map((session) => new BridgeBook({ session, local }, alone));
    const bridge = (url: string, remembered = true) => ({ url, token: 'a', remembered });
    await Promise.all([one?.add(bridge('https://a.example')), other?.add(bridge('https://b.example'))]);
    await one?.add(bridge('https://mine.example', false));
    await other?.remove('https://a.example');
    await one?.add(bridge('https://c.example'));
    other?.reread();
    expect(other?.known).toEqual([bridge('https://b.example'), bridge('https://c.example')]);
    expect(one?.known).toEqual([bridge('https://mine.example', false), ...(other?.known ?? [])]);
  });

  test('of one address, what this tab was told comes before what another remembers', async () => {
    const local = shelf();
    const book = new BridgeBook({ session: shelf(), local }, alone);
    await book.add({ ...entry, remembered: false });
    await new BridgeBook({ session: shelf(), local }, alone).add({ ...entry, token: 'b', remembered: true });
    book.reread();
    expect(book.known).toEqual([{ ...entry, remembered: false }]);
  });

  test.each([
    '{',
    'null',
    '[1, null, {"url": 1}]',
    '[{"url": "ftp://x", "token": "a"}, {"url": "localhost", "token": " "}]',
  ])('H-9 a shelf that holds %s holds none', (text) =>
    expect(new BridgeBook({ session: shelf(text), local: shelf() }, alone).known).toEqual([]),
  );

  test('a browser that refuses storage knows them as long as the page', async () => {
    const refuse = () => {
      throw new Error('refused');
    };
    const closed = { getItem: refuse, setItem: refuse };
    const book = new BridgeBook({ session: closed, local: closed }, alone);
    await book.add({ ...entry, remembered: true });
    await book.add({ url: 'https://b.example', token: 'c', remembered: true });
    book.reread();
    expect(book.known).toHaveLength(2);
  });
});

test('H-8 a link connects once for all who ask, again when the connection is gone, and not after its end', async () => {
  let connections = 0;
  let lost = false;
  const connect: ConnectBridge = async ({ signal }) => {
    connections++;
    signal?.throwIfAborted();
    const list = async () => {
      if (lost) throw new Error('gone');
      return [];
    };
    return { list, [Symbol.asyncDispose]: async () => undefined } as unknown as Awaited<
      ReturnType<ConnectBridge>
    >;
  };
  const link = new BridgeLink({ ...entry, remembered: false }, connect);
  const [one, other] = await Promise.all([link.connect(), link.connect()]);
  expect([one === other, connections, link.state.type]).toEqual([true, 1, 'connected']);
  lost = true;
  await link.check();
  expect([connections, link.state.type]).toEqual([2, 'unreachable']);
  lost = false;
  await link.connect();
  await link[Symbol.asyncDispose]();
  await expect(link.connect()).rejects.toThrow();
});
