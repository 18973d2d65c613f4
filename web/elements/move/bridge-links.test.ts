import { beforeEach, describe, expect, test } from 'vitest';
import { SandboxError } from '../../../protocol/errors.ts';
import { BridgeBook, type KnownBridge } from './bridge-book.ts';
import type { BridgeLink, ConnectBridge } from './bridge-link.ts';
import { BridgeLinks } from './bridge-links.ts';

interface Connection {
  readonly token: string;
  isOpen: boolean;
}

const url = 'http://127.0.0.1:7070';
const bridge = (token: string, remembered = false): KnownBridge => ({ url, token, remembered });

let connections: Connection[];
let valid: Set<string>;
let renewed: BridgeLink[];
let local: Map<string, string>;
beforeEach(() => {
  [connections, valid, renewed, local] = [[], new Set(['old', 'new']), [], new Map()];
});

const connect: ConnectBridge = async ({ token, signal }) => {
  signal?.throwIfAborted();
  if (!valid.has(token)) throw new SandboxError('unauthenticated', 'The token is not valid');
  const connection: Connection = { token, isOpen: true };
  connections.push(connection);
  const list = async () => {
    if (!connection.isOpen || !valid.has(token)) throw new SandboxError('unauthenticated', 'It has ended');
    return [];
  };
  const close = async () => {
    connection.isOpen = false;
  };
  return { list, [Symbol.asyncDispose]: close } as unknown as Awaited<ReturnType<ConnectBridge>>;
};

function shelfOf(kept: Map<string, string>) {
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

/** The links of another tab each time. */
function openTab(): BridgeLinks {
  const shelves = { session: shelfOf(new Map()), local: shelfOf(local) };
  const book = new BridgeBook(shelves, async (work) => work());
  return new BridgeLinks(book, { connect, onRenewed: (link) => void renewed.push(link) });
}

const tokens = () => connections.map(({ token, isOpen }) => (isOpen ? token : `${token} closed`));

describe('a bridge that is added again with another token', () => {
  test('stays the same link, whose next connections have the new token; what is open goes on', async () => {
    const links = openTab();
    await links.add(bridge('old'));
    const link = links.find(url);
    await links.add(bridge('new'));
    expect(links.links).toEqual([link]);
    expect([tokens(), link?.state.type, renewed]).toEqual([['old', 'new'], 'connected', [link]]);
    await link?.connect();
    expect(connections).toHaveLength(2);
    await links.add(bridge('old'));
    expect(tokens()).toEqual(['old closed', 'new', 'old']);
    await link?.[Symbol.asyncDispose]();
    expect(tokens()).toEqual(['old closed', 'new closed', 'old closed']);
  });

  test('lets whoever waits for the old one go on with the new', async () => {
    const links = openTab();
    await links.add(bridge('old'));
    valid.delete('old');
    const link = links.find(url);
    const waiting = link?.connect();
    await links.add(bridge('new'));
    expect(await waiting).toBe(await link?.connect());
    expect(link?.state.type).toBe('connected');
  });

  test('that is refused closes nothing that is open, and nobody is told to open again', async () => {
    const links = openTab();
    await links.add(bridge('old'));
    await links.add(bridge('typo'));
    expect([tokens(), links.links[0]?.state.type, renewed]).toEqual([['old'], 'refused', []]);
    await links.add(bridge('new'));
    expect([tokens(), renewed.length]).toEqual([['old', 'new'], 1]);
  });
});

describe('what another tab changes of what is remembered', () => {
  test('can be used here, is not connected to, and goes when it is forgotten', async () => {
    const [here, there] = [openTab(), openTab()];
    await there.add(bridge('old', true));
    await here.reread();
    expect(here.links.map(({ bridge, state }) => [bridge.token, state.type])).toEqual([['old', 'unknown']]);
    await there.add(bridge('new', true));
    await here.reread();
    expect(here.links.map(({ bridge }) => bridge.token)).toEqual(['new']);
    expect(tokens()).toEqual(['old', 'new']);
    await there.remove(there.links[0] as BridgeLink);
    await here.reread();
    expect(here.links).toEqual([]);
  });

  test('reaches a link that is in use: another token, or that it is forgotten with this tab', async () => {
    const [here, there] = [openTab(), openTab()];
    await there.add(bridge('old', true));
    await here.reread();
    await here.links[0]?.check();
    await there.add(bridge('new', true));
    await here.reread();
    expect(here.links[0]).toMatchObject({ bridge: bridge('new', true), state: { type: 'connected' } });
    await there.remove(there.links[0] as BridgeLink);
    await here.reread();
    expect(here.links.map((link) => link.bridge)).toEqual([bridge('new', false)]);
    expect(connections.at(-1)).toEqual({ token: 'new', isOpen: true });
    expect(local.get('coppice.bridges')).toBe('[]');
  });
});

describe('a bridge that only an address names', () => {
  test('B-9 is asked nothing until it is added, and is the same link then, whose panes open again', async () => {
    const links = openTab();
    const link = links.reach(`${url}/`);
    await link?.check();
    await links.reread();
    expect(connections).toEqual([]);
    expect([links.links, link?.state.type, link?.name]).toEqual([[link], 'refused', '127.0.0.1:7070']);
    await expect(link?.connect()).rejects.toMatchObject({ code: 'unauthenticated' });
    await links.add(bridge('new'));
    expect([links.links, tokens(), renewed]).toEqual([[link], ['new'], [link]]);
    expect(links.reach(url)).toBe(link);
  });

  test('B-9 and that no page can reach is none', () => {
    const links = openTab();
    for (const address of ['', 'file:///etc', 'http://example.org', 'javascript:alert(1)'])
      expect(links.reach(address)).toBeUndefined();
    expect(links.links).toEqual([]);
  });
});
