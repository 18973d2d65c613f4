import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import { readRecording } from '../../recording/read/read-recording.ts';
import { openTestCli } from '../test-context.ts';

async function eventsOf(path: string): Promise<{ events: RecordingEvent[]; damage: string | undefined }> {
  const bytes = await readFile(path);
  const pieces = async function* () {
    yield new Uint8Array(bytes);
  };
  const stream = await readRecording(pieces());
  const events: RecordingEvent[] = [];
  for await (const { event } of stream.events()) events.push(event);
  return { events, damage: stream.damage };
}

const shown = (events: readonly RecordingEvent[]) =>
  events.map((event) => (event.type === 'output' ? event.data : '')).join('');

test('P-1 record runs a command as run does, and writes a file of its own that has no secret in it', async () => {
  await using cli = await openTestCli();
  cli.environment.API = 'a-value-that-nobody-knows';
  const args = ['record', '--secret', 'API', '--', 'bash', '-c'];
  const first = await cli.run(...args, 'echo a-value-that-nobody-knows; echo changed > ~/file; exit 5');
  expect(first).toMatchObject({ code: 5, stdout: 'a-value-that-nobody-knows\n' });
  expect(first.stderr).toContain('recorded in bash.cast.gz: 2 snapshots');
  // The next one finds a name that is free, and the first is nobody else's to read.
  expect((await cli.run(...args, 'true')).stderr).toContain('bash-2.cast.gz');
  expect((await stat(join(cli.folder, 'bash.cast.gz'))).mode & 0o777).toBe(0o600);
  const { events, damage } = await eventsOf(join(cli.folder, 'bash.cast.gz'));
  expect(damage).toBe(undefined);
  expect(JSON.stringify(events.filter(({ type }) => type !== 'objects'))).not.toContain('nobody-knows');
  expect(shown(events)).toMatch(/<secret:value:[0-9a-f]{8}>\r\n/);
  expect(events.at(-1)).toEqual({ type: 'end', exitCode: 5 });
});

test('P-1 record writes where it is told, but over no file unless it is forced; a shell without words', async () => {
  await using cli = await openTestCli();
  const path = join(cli.folder, 'taken.cast');
  await writeFile(path, 'mine');
  const refused = await cli.run('record', '-o', 'taken.cast', '--', 'true');
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('--force');
  expect(await readFile(path, 'utf8')).toBe('mine');
  const run = cli.start('record', '--force', '-o', 'taken.cast');
  run.stdin.end('echo typed\nexit 3\n');
  expect((await run.ended).code).toBe(3);
  const { events } = await eventsOf(path);
  expect(shown(events)).toContain('typed\r\n');
  expect(await readFile(path, 'utf8')).toMatch(/^{"version":3,/);
});

test('P-1 R-6 a full disk ends a recording with a message, and not what is recorded', async () => {
  await using cli = await openTestCli();
  const { code, stdout, stderr } = await cli.run(
    'record',
    '--force',
    '-o',
    '/dev/full',
    '--',
    'echo',
    'goes on',
  );
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'goes on\n' });
  expect(stderr).toMatch(/the recording has ended: .*no space left/i);
  expect(stderr.match(/recording/g)).toHaveLength(1);
});

test('P-1 R-6 supervise records what it runs, over all of its starts', async () => {
  await using cli = await openTestCli();
  const supervised = ['supervise', '--record', 'work.cast.gz', '--', 'bash', '-c'];
  expect((await cli.run(...supervised, 'echo supervised; exit 4')).code).toBe(4);
  const { events } = await eventsOf(join(cli.folder, 'work.cast.gz'));
  expect(shown(events)).toContain('supervised\r\n');
  expect(events.at(-1)).toEqual({ type: 'end', exitCode: 4 });
  expect((await readdir(cli.folder)).filter((name) => name.endsWith('.gz'))).toEqual(['work.cast.gz']);
});
