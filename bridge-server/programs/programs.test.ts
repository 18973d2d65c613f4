import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileSanitized, sourcesIn } from '../../guest/test/compile-sanitized.ts';
import { runHostTool } from './host-tool.ts';
import type { Program, StartProgram } from './program.ts';
import { Spawner } from './spawner.ts';
import { startByNode } from './start-by-node.ts';
import { startProgram, useSpawner } from './start-program.ts';

const source = join(import.meta.dirname, '../../guest/spawn');
let folder: string;
let path: string;
let spawner: Spawner;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-spawner-'));
  path = join(folder, 'spawner');
  compileSanitized(path, { sources: sourcesIn(source), include: source });
  spawner = await Spawner.open(path);
});
afterAll(async () => {
  await spawner?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const env = { PATH: process.env.PATH ?? '' };
const startBySpawner: StartProgram = (command, options) => spawner.start(command, options);

async function textOf(program: Program, place: number): Promise<string> {
  const socket = program.sockets[place];
  let text = '';
  socket?.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  if (socket && !socket.readableEnded) await once(socket, 'end');
  return text;
}

describe.each([
  ['a spawner', startBySpawner],
  ['Node', startByNode],
] as const)('a program that %s starts', (_, start) => {
  test('has its input, output, errors and end of its own', async () => {
    const program = start(['sh', '-c', 'cat; echo no >&2; exit 7'], { descriptors: [0, 1, 2], env });
    const [input] = program.sockets;
    input?.end('yes');
    expect(await Promise.all([textOf(program, 1), textOf(program, 2), program.ended])).toEqual([
      'yes',
      'no\n',
      { code: 7 },
    ]);
    expect(program.hasEnded).toBe(true);
  });

  test('runs in `/` with the environment it was given', async () => {
    const script = 'pwd; env | grep -v "^PWD=\\|^_=\\|^SHLVL="';
    const program = start(['/bin/sh', '-c', script], { descriptors: [1], env: { NAME: 'a b=c' } });
    expect(await textOf(program, 0)).toBe('/\nNAME=a b=c\n');
  });

  test('is connected where it was asked for, whatever lies there', async () => {
    const program = start(['sh', '-c', 'for n in 3 4 5 6 7; do eval "echo $n >&$n"; done'], {
      descriptors: [7, 4, 6, 3, 5],
      env,
    });
    const said = await Promise.all([0, 1, 2, 3, 4].map((place) => textOf(program, place)));
    expect(said).toEqual(['7\n', '4\n', '6\n', '3\n', '5\n']);
  });

  test('is killed, and says by what', async () => {
    const program = start(['sleep', '1000'], { descriptors: [], env });
    expect(await program.pid).toBeGreaterThan(1);
    expect(program.hasEnded).toBe(false);
    program.kill('SIGKILL');
    expect(await program.ended).toEqual({ signal: 'SIGKILL' });
    program.kill('SIGKILL'); // What has ended is left alone.
  });

  test('may say goodbye when it is asked to end', async () => {
    const script = 'trap "echo bye; exit 3" TERM; echo ready; while :; do sleep 0.01; done';
    const program = start(['sh', '-c', script], { descriptors: [1], env });
    const [output] = program.sockets;
    if (output) await once(output, 'readable');
    program.kill('SIGTERM');
    expect(await textOf(program, 0)).toBe('ready\nbye\n');
    expect(await program.ended).toEqual({ code: 3 });
  });

  test('can be killed before it runs', async () => {
    const program = start(['sleep', '1000'], { descriptors: [1], env });
    program.kill('SIGKILL');
    expect(await program.ended).toEqual({ signal: 'SIGKILL' });
    program.sockets[0]?.destroy();
  });

  test('that is not there does not run', async () => {
    const program = start([join(folder, 'none')], { descriptors: [], env });
    expect(await program.ended).toEqual({ failure: expect.stringMatching(/none.*(ENOENT|No such file)/) });
    expect(await program.pid).toBeUndefined();
    expect(program.hasEnded).toBe(true);
  });

  test('brings megabytes through, and is not held up by others', async () => {
    const programs = Array.from({ length: 60 }, () =>
      start(['head', '-c', '100000', '/dev/zero'], { descriptors: [1], env }),
    );
    const texts = await Promise.all(programs.map((program) => textOf(program, 0)));
    expect(new Set(texts.map(({ length }) => length))).toEqual(new Set([100_000]));
    expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual(programs.map(() => ({ code: 0 })));
  });
});

describe('a spawner', () => {
  test('passes on no descriptor that was not asked for', async () => {
    const program = spawner.start(['ls', '/proc/self/fd'], { descriptors: [1, 6], env });
    // What `ls` has opened itself is the lowest that is free.
    expect(await textOf(program, 0)).toBe('0\n1\n2\n3\n6\n');
  });

  test('is not reached by another process of this host', async () => {
    const other = await Spawner.open(path);
    try {
      const script = `
        const socket = require('node:net').connect({ path: '\\0' + process.argv[1] });
        socket.write(Buffer.alloc(8));
        socket.on('close', () => console.log('turned away')).on('error', () => {}).resume();`;
      const child = spawn(process.execPath, ['-e', script, other.address.slice(1)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      await once(child, 'close');
      expect(said.trim()).toBe('turned away');
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  test('lets go of connections that nobody asks for any more', async () => {
    const other = await Spawner.open(path);
    try {
      for (let round = 0; round < 3; round++) {
        const sockets = Array.from({ length: 600 }, () =>
          connect({ path: other.address }).on('error', () => {}),
        );
        await Promise.all(sockets.map((socket) => once(socket, 'connect')));
        for (const socket of sockets) socket.destroy();
        // Its connections come after those: once it runs, they have been accepted.
        const program = other.start(['true'], { descriptors: [0, 1, 2], env });
        expect(await program.ended).toEqual({ code: 0 });
      }
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  test('may die, and what it has started lives, is known to, and can be killed', async () => {
    await using _inUse = await useSpawner(path);
    const start = (script: string) => startProgram(['sh', '-c', script], { descriptors: [0, 1], env });
    const [reader, sleeper] = [start('read line; echo $line'), start('echo up; exec sleep 1000')];
    expect(await sleeper.pid).toBeGreaterThan(1);
    const pid = (await reader.pid) ?? 0;
    const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    process.kill(Number(parent), 'SIGKILL');
    // Node starts what comes after.
    await expect
      .poll(async () => (await startProgram(['true'], { descriptors: [], env }).ended).code)
      .toBe(0);
    expect([reader.hasEnded, sleeper.hasEnded]).toEqual([false, false]);
    reader.sockets[0]?.end('still\n');
    expect(await textOf(reader, 1)).toBe('still\n');
    sleeper.kill('SIGKILL');
    const lost = { failure: expect.stringContaining('has ended before') };
    expect(await Promise.all([reader.ended, sleeper.ended])).toEqual([lost, lost]);
    expect(existsSync(`/proc/${await sleeper.pid}/exe`)).toBe(false);
  });

  test('finds a program by the PATH that the program gets', async () => {
    const own = join(folder, 'bin');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'tar'), '#!/bin/sh\necho mine', { mode: 0o755 });
    const program = spawner.start(['tar'], { descriptors: [1], env: { PATH: own } });
    expect(await textOf(program, 0)).toBe('mine\n');
  });

  test('that cannot be one is told', async () => {
    const script = join(folder, 'script');
    writeFileSync(script, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    for (const program of [join(folder, 'none'), script])
      await expect(Spawner.open(program)).rejects.toMatchObject({ code: 'unsupported' });
  });

  test('leaves no child behind that nobody waits for', async () => {
    const programs = Array.from({ length: 20 }, () => spawner.start(['true'], { descriptors: [], env }));
    const pids = await Promise.all(programs.map(({ pid }) => pid));
    await Promise.all(programs.map(({ ended }) => ended));
    const running = new Set(readdirSync('/proc'));
    expect(pids.filter((pid) => running.has(String(pid)))).toEqual([]);
  });
});

test.each([
  ['No space left on device', 'storage-full'],
  ['Read-only file system', 'read-only'],
  ['Something else', 'internal'],
])('H-9 a tool that fails with "%s" is told as %s', async (said, code) => {
  const run = runHostTool('sh', ['-c', 'echo "$0" >&2; exit 1', said]);
  await expect(run).rejects.toMatchObject({ code });
});
