import { describe, expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import type { SandboxEvent } from '../../protocol/sandbox/events.ts';
import type { ProcessEvent } from '../../protocol/sandbox/processes.ts';
import type { ScriptedProcess } from '../fixtures/wire-backend.ts';
import { lastProcess, openTestWire, type TestWire } from '../fixtures/wire-session.ts';
import type { TransportPairs } from '../fixtures/wire-transports.ts';

/** Streams over any transport: their back-pressure, and what happens to them when a transport is lost. */
export function wireStreamsSuite(name: string, open: () => Promise<TransportPairs>): void {
  describe(`wire streams over ${name}`, () => {
    test('WP-13 a slow listener holds its process back, and nobody else', async () => {
      const wire = await openTestWire(open);
      const { connection, scripted } = await wire.open();
      const gate = Promise.withResolvers<void>();
      const exited = Promise.withResolvers<void>();
      let slowBytes = 0;
      await connection.processes.exec({ command: 'slow' }, async (event) => {
        await gate.promise;
        if (event.type === 'exit') exited.resolve();
        else slowBytes += event.bytes.length;
      });
      const slow = lastProcess(scripted);
      const total = 3 * limits.wireWindowBytes;
      const sending = emitAll(slow, total);
      const fast = await startCounting(wire, connection);
      await emitAll(fast.process, 8 * limits.wireWindowBytes).all;
      await fast.process.kill();
      expect(await fast.total).toBe(8 * limits.wireWindowBytes);
      expect(sending.taken()).toBeGreaterThanOrEqual(limits.wireWindowBytes);
      expect(sending.taken()).toBeLessThanOrEqual(limits.wireWindowBytes + pieceBytes);
      gate.resolve();
      await sending.all;
      await slow.kill();
      await exited.promise;
      expect(slowBytes).toBe(total);
    });

    test('WP-13 nothing is read ahead of an archive that nobody reads but a window', async () => {
      const wire = await openTestWire(open);
      const archive = wire.backend.archive();
      archive.pieces = Array.from({ length: 64 }, () => 262_144);
      wire.backend.archive = () => archive;
      const { connection } = await wire.open();
      const reader = await connection.transfer.exportTar({ at: 'now' });
      await connection.info.get();
      const ahead = limits.wireWindowBytes / 262_144 + 2;
      await expect.poll(() => archive.reads).toBeGreaterThan(2);
      expect(archive.reads).toBeLessThanOrEqual(ahead);
      for (let index = 0; index < 64; index++) expect((await reader.read())?.bytes.length).toBe(262_144);
      expect(await reader.read()).toBeUndefined();
    });

    test('H-8 a listener that fails ends its process, and still hears of the exit', async () => {
      const wire = await openTestWire(open);
      const { connection, scripted } = await wire.open();
      const exited = Promise.withResolvers<ProcessEvent>();
      await connection.processes.exec({ command: 'yes' }, (event) => {
        if (event.type === 'exit') exited.resolve(event);
        else throw new Error('The page is gone');
      });
      await lastProcess(scripted).emit({ type: 'stdout', bytes: Uint8Array.of(1) });
      expect(await exited.promise).toMatchObject({ type: 'exit', signal: 'SIGKILL' });
    });

    test('WP-15 output goes on after lost transports, with nothing lost or doubled', async () => {
      const wire = await openTestWire(open);
      const { connection, scripted } = await wire.open();
      const numbers: number[] = [];
      const exited = Promise.withResolvers<void>();
      await connection.processes.exec({ command: 'count' }, (event) => {
        if (event.type === 'exit') exited.resolve();
        else
          for (let at = 0; at < event.bytes.length; at += 65_536) numbers.push(readNumber(event.bytes, at));
      });
      const process = lastProcess(scripted);
      for (let index = 0; index < 400; index++) {
        await process.emit({ type: 'stdout', bytes: numbered(index) });
        if (index % 100 === 40) wire.cut();
        if (index % 100 === 90) wire.vanish();
      }
      await process.kill();
      await exited.promise;
      expect(numbers).toEqual(Array.from({ length: 400 }, (_, index) => index));
      expect(wire.pairs.length).toBeGreaterThanOrEqual(5);
      expect(wire.sessions.size).toBe(1);
    });

    test('WP-15 calls under way when the transport is lost are carried out and answered once', async () => {
      const wire = await openTestWire(open);
      const { connection, scripted } = await wire.open();
      wire.backend.asked.length = 0;
      const gate = Promise.withResolvers<void>();
      scripted.gate = gate.promise;
      const answers: string[] = [];
      const calls: Promise<unknown>[] = [];
      for (let index = 0; index < 30; index++) {
        calls.push(
          connection.files.makeDirectory({ path: `/${index}` }).then(() => answers.push(`/${index}`)),
        );
        if (index % 10 === 5) wire.cut();
        if (index % 10 === 9) await new Promise((resolve) => setImmediate(resolve));
      }
      gate.resolve();
      await Promise.all(calls);
      const all = Array.from({ length: 30 }, (_, index) => `/${index}`);
      expect(wire.backend.asked).toEqual(
        all.map((path) => `files.makeDirectory(${JSON.stringify({ path })})`),
      );
      expect(answers.sort()).toEqual(all.sort());
    });

    test('WP-15 content that is under way when the transport is lost arrives whole', async () => {
      const wire = await openTestWire(open);
      const { connection, scripted } = await wire.open();
      const content = new Uint8Array(12_000_000).map((_, index) => (index * 13) % 249);
      const writing = connection.files.write({ path: '/big', bytes: content });
      wire.cut();
      await writing;
      expect(Buffer.compare(scripted.content, content)).toBe(0);
      const reading = connection.files.read({ path: '/big' });
      setImmediate(() => wire.vanish());
      expect(Buffer.compare(await reading, content)).toBe(0);
    });

    test('WP-19 WP-15 a byte stream goes both ways after lost transports, and each direction ends', async () => {
      const wire = await openTestWire(open);
      const { connection, scripted } = await wire.open();
      const stream = await connection.network.connect({ port: 80 });
      const sent = new Uint8Array(3_000_000).map((_, index) => (index * 7) % 251);
      const writing = (async () => {
        for (let at = 0; at < sent.length; at += 100_000) await stream.write(sent.subarray(at, at + 100_000));
        await stream.end();
      })();
      const pieces: Uint8Array[] = [];
      for (let bytes = await stream.read(); bytes; bytes = await stream.read()) {
        pieces.push(bytes);
        if (pieces.length === 10) wire.cut();
        if (pieces.length === 20) wire.vanish();
      }
      await writing;
      expect(Buffer.compare(Buffer.concat(pieces), sent)).toBe(0);
      expect(await stream.read()).toBeUndefined();
      await stream.close();
      expect(scripted.streams).toMatchObject([{ isClosed: true }]);
      await expect(stream.write(Uint8Array.of(1))).rejects.toMatchObject({ code: 'connection-lost' });
    });

    test('WP-19 WP-13 who does not read a byte stream holds its writer back; closing the sandbox ends it', async () => {
      const wire = await openTestWire(open);
      const { connection, scripted } = await wire.open();
      const stream = await connection.network.connect({ port: 80 });
      let written = 0;
      const writing = (async () => {
        for (;;) {
          await stream.write(new Uint8Array(100_000));
          written += 100_000;
        }
      })();
      const ended = expect(writing).rejects.toMatchObject({ code: 'connection-lost' });
      for (let before = -1, same = 0; same < 20; before = written) {
        await connection.info.get();
        same = written === before ? same + 1 : 0;
      }
      expect(written).toBeLessThan(2 * limits.wireWindowBytes + 200_000);
      await connection.close();
      await ended;
      expect(scripted.streams).toMatchObject([{ isClosed: true }]);
      await expect(stream.read()).rejects.toMatchObject({ code: 'connection-lost' });
    });

    test('WP-14 WP-15 events go on after a lost transport', async () => {
      const wire = await openTestWire(open);
      const { connection, scripted } = await wire.open();
      const seen: number[] = [];
      const last = Promise.withResolvers<void>();
      await connection.events.subscribe({ after: 0 }, (event) => {
        seen.push(event.seq);
        if (event.type === 'closed') last.resolve();
      });
      const tell = (event: SandboxEvent): void => {
        for (const listener of scripted.listeners) listener(event);
      };
      for (let seq = 1; seq <= 500; seq++) tell({ seq, type: 'ready' });
      wire.cut();
      for (let seq = 501; seq < 1_000; seq++) tell({ seq, type: 'history' });
      tell({ seq: 1_000, type: 'closed' });
      await last.promise;
      expect(seen).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
    });

    test('WP-15 H-8 a session that nobody comes back to ends after its grace time', async () => {
      const wire = await openTestWire(open, { graceMs: 30 });
      const { connection, scripted } = await wire.open();
      const exited = Promise.withResolvers<ProcessEvent>();
      await connection.processes.exec({ command: 'sleep' }, exited.resolve);
      // Half a minute would be left otherwise: the client is told of nothing, and so does not come back.
      wire.pairs[0]?.client.abort('the cable is cut');
      expect(await wire.served[0]?.ended).toMatchObject({ code: 'connection-lost' });
      expect([scripted.isClosed, lastProcess(scripted).isKilled, wire.sessions.size]).toEqual([
        true,
        true,
        0,
      ]);
      wire.vanish();
      expect(await exited.promise).toMatchObject({ type: 'exit', reason: 'machine-failed' });
      await expect(connection.info.get()).rejects.toMatchObject({ code: 'connection-lost' });
    });

    test('WP-15 without sessions on the server, a lost transport ends it at once', async () => {
      const wire = await openTestWire(open, { resumable: false });
      const { connection } = await wire.open();
      const exited = Promise.withResolvers<ProcessEvent>();
      await connection.processes.exec({ command: 'sleep' }, exited.resolve);
      wire.cut();
      expect(await exited.promise).toMatchObject({ type: 'exit', reason: 'machine-failed' });
      await expect(connection.info.get()).rejects.toMatchObject({ code: 'connection-lost' });
      expect(wire.pairs).toHaveLength(1);
    });

    test('WP-6 when the server stops, everybody is told, and nobody comes back', async () => {
      const wire = await openTestWire(open);
      const { connection, scripted } = await wire.open();
      await wire.sessions[Symbol.asyncDispose]();
      expect(scripted.isClosed).toBe(true);
      await expect(connection.info.get()).rejects.toMatchObject({ code: 'connection-lost' });
      expect(wire.pairs).toHaveLength(1);
    });
  });
}

const pieceBytes = 65_536;

function numbered(index: number): Uint8Array {
  const bytes = new Uint8Array(pieceBytes);
  new DataView(bytes.buffer).setUint32(0, index, true);
  return bytes;
}

function readNumber(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true);
}

/** Emits so many bytes, each piece when the one before was taken. */
function emitAll(process: ScriptedProcess, total: number): { all: Promise<void>; taken: () => number } {
  let taken = 0;
  const run = async (): Promise<void> => {
    for (; taken < total; taken += pieceBytes) {
      await process.emit({ type: 'stdout', bytes: new Uint8Array(pieceBytes) });
    }
  };
  return { all: run(), taken: () => taken };
}

async function startCounting(
  wire: TestWire,
  connection: Awaited<ReturnType<TestWire['open']>>['connection'],
): Promise<{ process: ScriptedProcess; total: Promise<number> }> {
  const total = Promise.withResolvers<number>();
  let bytes = 0;
  await connection.processes.exec({ command: 'fast' }, (event) => {
    if (event.type === 'exit') total.resolve(bytes);
    else bytes += event.bytes.length;
  });
  const scripted = wire.backend.connections.at(-1);
  if (!scripted) throw new Error('Nothing was opened');
  return { process: lastProcess(scripted), total: total.promise };
}
