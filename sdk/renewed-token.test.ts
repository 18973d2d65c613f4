import { afterAll, describe, test, vi } from 'vitest';
import { serveSockets } from '../bridge-server/main/serve-sockets.ts';
import type { NewToken, TokenOptions } from '../protocol/api-token.ts';
import { WireSessions } from '../protocol/wire/server/wire-sessions.ts';
import { openTestBridge, type TestBridge, testTokens } from '../test/http/test-bridge.ts';
import { type BridgeConnection, connect } from './connect.ts';
import { Sandbox } from './sandbox.ts';
import type { TokenSupplier } from './token-source.ts';

const one = { sandboxes: ['box-1'] };
const page: TokenOptions = { name: 'page', scope: one, access: 'write' };
/** Long enough to be used once, short enough to wait for its end. */
const shortMs = 3_000;

/** A bridge of its own for each test, as most of them wait for a token to end, beside each other. */
async function openLab() {
  await using stack = new AsyncDisposableStack();
  const opened: string[] = [];
  const sessions = new WireSessions();
  const serve = serveSockets(sessions);
  const there = stack.use(
    await openTestBridge({
      tokenRecheckMs: 20,
      onSocket: (socket, owner, served) => {
        opened.push(owner.name);
        serve(socket, owner, served);
      },
    }),
  );
  stack.use(sessions);
  const { url } = there.bridge;
  const maker = stack.use(await connect({ url, token: testTokens.all }));
  const owned = stack.move();
  return {
    /** The names of the tokens that sockets were opened with. */
    opened,
    sessions,
    there,
    maker,
    open: (token: string | TokenSupplier) => connect({ url, token }),
    isOver: ({ id }: NewToken) => there.tokens.validUntilMs(id) === undefined,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

type Lab = Awaited<ReturnType<typeof openLab>>;

/** Gives out what `each` makes, one after the other, and notes it. */
function supply(each: (count: number) => Promise<NewToken>): { supplier: TokenSupplier; given: NewToken[] } {
  const given: NewToken[] = [];
  const supplier = async (): Promise<string> => {
    const made = await each(given.length);
    given.push(made);
    return made.token;
  };
  return { supplier, given };
}

/** A program that runs in box-1, and what it has said so far. */
async function startTalking({ there }: { readonly there: TestBridge }, bridge: BridgeConnection) {
  const sandbox = await Sandbox.open('box-1', { backend: bridge });
  let said = '';
  const command = await sandbox.commands.run('talk', {
    background: true,
    onStdout: (text) => {
      said += text;
    },
  });
  return { sandbox, command, process: await there.backend.sandbox('box-1').started(1), said: () => said };
}

// The one that takes the way to a bridge away does so to its own alone.
afterAll(() => void vi.unstubAllGlobals());

describe.concurrent('S-6 a connection whose token comes from a function', () => {
  test('goes on with another one before the first ends: what runs is not disturbed', async ({ expect }) => {
    await using lab = await openLab();
    const { sessions, maker, open, isOver } = lab;
    const { supplier, given } = supply(() => maker.tokens.create({ ...page, ttlMs: shortMs }));
    await using bridge = await open(supplier);
    const { process, said, sandbox } = await startTalking(lab, bridge);
    await process.say('before ');
    await expect.poll(() => given[0] && isOver(given[0])).toBe(true);
    await process.say('after');
    await expect.poll(said).toBe('before after');
    expect(given.length).toBeGreaterThan(1);
    expect(await sandbox.files.exists('/etc/hostname')).toBe(true);
    expect(process.asked).toEqual([]);
    expect(sessions.size).toBe(2);
  });

  test('goes on with one that comes only after the first has ended', async ({ expect }) => {
    await using lab = await openLab();
    const { maker, open, isOver } = lab;
    let mayGive = true;
    const { supplier, given } = supply(async () => {
      if (!mayGive) throw new Error('the server that makes them is away');
      return maker.tokens.create({ ...page, ttlMs: given.length === 0 ? shortMs : 60_000 });
    });
    await using bridge = await open(supplier);
    const { process, said, sandbox } = await startTalking(lab, bridge);
    mayGive = false;
    await expect.poll(() => given[0] && isOver(given[0])).toBe(true);
    const asked = sandbox.files.exists('/etc/hostname');
    const saying = process.say('held back');
    mayGive = true;
    expect(await asked).toBe(true);
    await saying;
    await expect.poll(said).toBe('held back');
    // The bridge's own clock says when the first one has ended.
    await expect.poll(() => given.length).toBe(2);
    expect(process.asked).toEqual([]);
    expect((await bridge.tokens.list()).map(({ name }) => name)).toEqual(['page']);
  });

  test('comes back with another one where the first ended while there was no way to the bridge', async ({
    expect,
  }) => {
    await using lab = await openLab();
    const { there, maker, open, isOver } = lab;
    const sockets: WebSocket[] = [];
    let isThere = true;
    const { WebSocket: RealSocket } = globalThis;
    class Socket extends RealSocket {
      constructor(url: string, protocols: string[]) {
        const isOwn = url.includes(new URL(there.bridge.url).host);
        super(isThere || !isOwn ? url : 'ws://127.0.0.1:1', protocols);
        if (isOwn) sockets.push(this);
      }
    }
    vi.stubGlobal('WebSocket', Socket);
    let asked = 0;
    let mayGive = true;
    const { supplier, given } = supply(async () => {
      asked++;
      if (!mayGive) throw new Error('the server that makes them is away');
      return maker.tokens.create({ ...page, ttlMs: given.length === 0 ? shortMs : 60_000 });
    });
    await using bridge = await open(supplier);
    const { process, said } = await startTalking(lab, bridge);
    mayGive = false;
    isThere = false;
    sockets.at(-1)?.close();
    // Once before it ends, and once after.
    await expect.poll(() => given[0] && isOver(given[0]) && asked >= 3).toBe(true);
    isThere = true;
    mayGive = true;
    await process.say('held back');
    await expect.poll(said).toBe('held back');
    expect(process.asked).toEqual([]);
  });

  test.for<[string, (lab: Lab) => Promise<NewToken>, string]>([
    [
      'another account',
      async ({ there }) => there.tokens.create({ name: 'stranger', scope: 'all' }),
      'another account',
    ],
    ['less scope', ({ maker }) => maker.tokens.create({ ...page, access: 'read' }), 'allows less'],
  ])('is refused with forbidden with one of %s, and has nothing then', async ([, next, why], { expect }) => {
    await using lab = await openLab();
    const { maker, open } = lab;
    const first = await maker.tokens.create({ ...page, ttlMs: shortMs });
    const { supplier } = supply((count) => (count === 0 ? Promise.resolve(first) : next(lab)));
    await using bridge = await open(supplier);
    const { command } = await startTalking(lab, bridge);
    expect((await command.wait()).reason).toBe('machine-failed');
    await expect(bridge.list()).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining(why),
    });
  });

  test('that was revoked is over at once, whatever else is given out', async ({ expect }) => {
    await using lab = await openLab();
    const { sessions, maker, open } = lab;
    const { supplier, given } = supply(() => maker.tokens.create(page));
    await using bridge = await open(supplier);
    const { command, process } = await startTalking(lab, bridge);
    await maker.tokens.revoke(given[0]?.id ?? '');
    expect((await command.wait()).reason).toBe('machine-failed');
    expect(process.asked).toEqual(['kill SIGKILL']);
    await expect(bridge.list()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(sessions.size).toBe(1);
  });
});

describe.concurrent('S-6 a token that may renew itself', () => {
  test('is renewed before it ends, over the same socket, until the time it was given is over', async ({
    expect,
  }) => {
    await using lab = await openLab();
    const { opened, sessions, there, maker, open } = lab;
    const made = await maker.tokens.create({ ...page, ttlMs: 3_000, renewableMs: 5_500 });
    await using bridge = await open(made.token);
    const { process, said } = await startTalking(lab, bridge);
    const untilMs = () => there.tokens.validUntilMs(made.id) ?? 0;
    await expect.poll(untilMs).toBe(made.renewableUntilMs);
    await process.say('still here');
    await expect.poll(said).toBe('still here');
    expect(opened).toEqual(['all', 'page']);
    await expect(bridge.tokens.renew()).resolves.toMatchObject({ id: made.id, isRenewable: false });
    const asking = () => bridge.list().catch(({ code }) => code);
    await expect.poll(asking).toBe('unauthenticated');
    await expect(bridge.tokens.renew()).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect.poll(() => sessions.size).toBe(1);
  });

  test('renews neither what may not be, nor beyond its maker', async ({ expect }) => {
    await using lab = await openLab();
    const { maker, open } = lab;
    await using plain = await open((await maker.tokens.create(page)).token);
    await expect(plain.tokens.renew()).rejects.toMatchObject({ code: 'forbidden' });
    const server = await maker.tokens.create({
      name: 'server',
      scope: 'all',
      access: 'write',
      ttlMs: 60_000,
    });
    await using second = await open(server.token);
    const child = await second.tokens.create({ ...page, ttlMs: 30_000, renewableMs: 1_000_000 });
    expect(child.renewableUntilMs).toBe(server.expiresAtMs);
    await using third = await open(child.token);
    const renewed = await third.tokens.renew();
    expect(renewed.expiresAtMs).toBeLessThanOrEqual(Number(server.expiresAtMs));
    await maker.tokens.revoke(server.id);
    await expect(third.tokens.renew()).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
