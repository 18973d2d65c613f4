import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { inRepository } from '../../../host/repository.ts';
import { limits } from '../../../protocol/limits.ts';
import type { RecordingEvent } from '../../../recording/format/recording-event.ts';
import type { RecordingHeader } from '../../../recording/format/recording-header.ts';
import { readRecording } from '../../../recording/read/read-recording.ts';
import type { SandboxRecording } from '../../../sdk/sandbox-recording.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { SuiteTests } from './suite-tests.ts';

const { version } = JSON.parse(readFileSync(inRepository('package.json'), 'utf8'));

type EventOf<Type extends RecordingEvent['type']> = Extract<RecordingEvent, { readonly type: Type }>;

/** A recording that was read to its end. */
class ReadRecording {
  readonly header: RecordingHeader;
  readonly events: readonly RecordingEvent[];
  readonly damage: string | undefined;

  constructor(parts: Pick<ReadRecording, 'header' | 'events' | 'damage'>) {
    this.header = parts.header;
    this.events = parts.events;
    this.damage = parts.damage;
  }

  static async of(pieces: AsyncIterable<Uint8Array>): Promise<ReadRecording> {
    const stream = await readRecording(pieces);
    const events: RecordingEvent[] = [];
    for await (const { event } of stream.events()) events.push(event);
    return new ReadRecording({ header: stream.header, events, damage: stream.damage });
  }

  all<Type extends RecordingEvent['type']>(type: Type): EventOf<Type>[] {
    return this.events.filter((event): event is EventOf<Type> => event.type === type);
  }

  /** What a terminal has shown. */
  shown(terminal: number): string {
    const outputs = this.all('output').filter((event) => event.terminal === terminal);
    return outputs.map(({ data }) => data).join('');
  }
}

/** Recordings of a sandbox, whatever runs it. */
export function recordingsSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  tests.describe('recordings of a sandbox', (test) => {
    test('P-1 H-6 a session is a file with its commands, what they printed, and the files after each of them', async () => {
      await using sandbox = await openSandbox();
      await sandbox.run('echo before > ~/note');
      const recording = await sandbox.record({ title: 'a session', gzip: true });
      const reading = ReadRecording.of(recording);
      await recording.chapter('work');
      await recording.call({ id: 'c1', tool: 'bash', arguments: { command: 'make' } });
      await sandbox.run('echo out; echo err >&2; echo after > ~/note; exit 3');
      await recording.result({ id: 'c1', result: { exitCode: 3 }, isError: true });
      await sandbox.run('echo second', { cwd: '/tmp' });
      await sandbox.checkout((await sandbox.history.get()).snapshots[0]?.id ?? '');
      const summary = await recording.stop({ exitCode: 7 });
      const read = await reading;

      expect(read.damage).toBe(undefined);
      expect(read.header).toMatchObject({
        title: 'a session',
        coppice: {
          generator: `coppice ${version}`,
          sandbox: sandbox.info.name,
          runtime: sandbox.info.runtime,
        },
      });
      expect(read.all('command').map(({ text, by, cwd }) => [text, by, cwd].join(' | '))).toEqual([
        expect.stringContaining('echo out'),
        'echo second | exec | /tmp',
      ]);
      expect(read.all('command-end')).toMatchObject([
        { command: 1, exitCode: 3, output: { sizeBytes: 8 } },
        { command: 2, exitCode: 0 },
      ]);
      expect(read.shown(1)).toMatch(
        /\$\S* echo out.*\r\n(out\r\nerr\r\n|err\r\nout\r\n).*second\r\nsecond\r\n$/s,
      );
      const [call] = read.all('call');
      const [result] = read.all('result');
      const snapshots = read.all('snapshot');
      expect(call?.snapshot).toBe(read.header.coppice.begin);
      expect(snapshots.map(({ id }) => id)).toContain(result?.snapshot);
      const made = snapshots.find(({ label }) => label.includes('echo out'));
      expect(made).toMatchObject({ changes: { modified: 1 } });
      // Each has its objects before it, and HEAD went where the checkout led.
      for (const { id } of snapshots)
        expect(read.all('objects').filter(({ snapshot, isLast }) => snapshot === id && isLast)).toHaveLength(
          1,
        );
      expect(read.all('head').at(-1)?.id).toBe((await sandbox.history.get()).head);
      expect(read.events.at(-1)).toEqual({ type: 'end', exitCode: 7 });
      expect(summary).toMatchObject({ snapshots: snapshots.length });
    });

    test('P-1 a session that was not recorded is saved as a file of its history, from where to where', async () => {
      await using sandbox = await openSandbox();
      await sandbox.run('echo first > ~/note');
      await sandbox.run('echo second > ~/note; echo out; exit 3');
      const { id: to } = await sandbox.createSnapshot({ label: 'good' });
      await sandbox.run('echo third > ~/note');
      await sandbox.createSnapshot();
      const read = await ReadRecording.of(sandbox.saveSession({ title: 'saved', to, gzip: true }));
      expect(read.damage).toBe(undefined);
      expect(read.header).toMatchObject({
        title: 'saved',
        coppice: { omitted: expect.arrayContaining([expect.stringContaining('after the session')]) },
      });
      expect(read.all('command').map(({ text }) => text)).toEqual([
        'echo first > ~/note',
        'echo second > ~/note; echo out; exit 3',
      ]);
      expect(read.all('command-end')).toMatchObject([
        { exitCode: 0 },
        { exitCode: 3, output: { sizeBytes: 4 } },
      ]);
      expect(read.shown(1)).toMatch(/echo out; exit 3\r\nout\r\n$/);
      expect(read.all('snapshot').at(-1)).toMatchObject({ id: to, label: 'good' });
      expect(read.events.at(-1)).toEqual({ type: 'end', exitCode: 0 });
      const late = sandbox.connection.recording.save({
        from: to,
        to: read.header.coppice.begin as typeof to,
      });
      await expect(late).rejects.toMatchObject({ code: 'invalid-argument' });
    });

    test('P-1 H-8 a recording that is given up or refused holds nothing up, and one that was read in part is whole to there', async () => {
      await using sandbox = await openSandbox();
      const recording = await sandbox.record();
      const read: Uint8Array[] = [];
      const reading = (async () => {
        for await (const piece of recording) {
          read.push(piece);
          if (new TextDecoder().decode(piece).includes('seen')) break;
        }
      })();
      await sandbox.run('echo seen');
      await reading;
      await sandbox.run('echo unseen');
      await expect(recording.note('late')).rejects.toMatchObject({ code: 'not-found' });
      const cut = await ReadRecording.of(piecesOf(read));
      expect(cut.shown(1)).toContain('seen\r\n');
      const open: SandboxRecording[] = [];
      for (let index = 0; index < limits.recordings; index++) open.push(await sandbox.record());
      await expect(sandbox.record()).rejects.toMatchObject({ code: 'limit-exceeded' });
      const [first] = open;
      await expect(first?.call({ id: 'x' } as never)).rejects.toMatchObject({ code: 'invalid-argument' });
      for (const each of open) await each.close();
    });
  });
}

async function* piecesOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
