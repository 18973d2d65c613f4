import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningBridge } from '../../bridge-server/main/run-bridge.ts';
import { runCli } from '../../cli/run-cli.ts';
import { type BridgeConnection, connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { makeTestFolder, runTestBridge } from './open-test-host.ts';
import { type HostCli, openHostCli } from './supervising.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();

/** The standard output of a command that succeeds, in this process: a start of Node for each would take most of the time. */
async function runHere(folder: string, args: readonly string[]): Promise<string> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const outputs = [text(stdout), text(stderr)] as const;
  const code = await runCli(args, {
    environment: { ...process.env, COPPICE_ROOT: folder },
    directory: folder,
    stdin,
    stdout,
    stderr,
    signal: new AbortController().signal,
    takeSignals: () => ({ [Symbol.dispose]: () => undefined }),
  });
  stdout.end();
  stderr.end();
  const [shown, why] = await Promise.all(outputs);
  if (code === 0) return shown;
  throw new Error(`coppice ${args.join(' ')} ended with ${code}: ${shown}${why}`);
}

describe.skipIf(lack)(`history at the shell, on jails of this host${lack ? `: ${lack}` : ''}`, () => {
  let cli: HostCli;
  const run = (...args: readonly string[]) => runHere(cli.folder, args);
  const inside = (script: string, sandbox = 'default') =>
    run('exec', '-s', sandbox, '--', 'bash', '-c', script);

  beforeAll(async () => {
    cli = await openHostCli('root');
  });
  afterAll(() => cli?.[Symbol.asyncDispose]());

  test('R-4 R-5 run, commit, break, see what broke, and go back, while the folder is served and while it is not', async () => {
    await inside('mkdir -p ~/work; echo one > ~/work/file');
    expect(await run('commit', '-m', 'it works')).toMatch(/^\[[0-9a-f]{12}\] it works/);
    // A daemon holds the folder from now on: the same commands go through it.
    await using daemon = cli.start(['daemon']);
    await daemon.says('answers at');
    await run('tag', 'good');
    await inside('echo two > ~/work/file; touch ~/work/new');
    expect((await run('diff', 'good')).trim().split('\n').toSorted()).toEqual([
      'A  /home/user/work/new',
      'M  /home/user/work/file',
    ]);
    expect(await run('diff', 'good', '--patch', '/home/user/work/file')).toContain('\n-one\n+two\n');
    const { cause, commands } = JSON.parse(await run('log', '-n', '1', '--json'));
    expect(cause.type).toBe('capture');
    expect(commands).toMatchObject([{ exitCode: 0, argv: ['bash', '-c', expect.any(String)] }]);
    await run('checkout', 'good');
    expect(await inside('cat ~/work/file; ls ~/work')).toBe('one\nfile\n');
    await run('checkout', '-');
    expect(await inside('cat ~/work/file')).toBe('two\n');
    const status = await run('status');
    expect(status).toMatch(/served by process \d+\n/);
    expect(status).toMatch(/\nwatches +the kernel tells of /);
    await daemon.end('SIGTERM');
    // What nobody serves is read as it is stored.
    expect(await run('status')).toMatch(/\nnot saved +nothing\n/);
    expect(await run('show')).toMatch(/files +yes/);
  });

  describe('and elsewhere', () => {
    let bridge: RunningBridge;
    let backend: BridgeConnection;
    let tokenFile: string;
    const stack = new AsyncDisposableStack();

    beforeAll(async () => {
      // Its commands are as many as those of a user, and each would open the folder anew.
      const daemon = stack.use(cli.start(['daemon']));
      await daemon.says('answers at');
      const { options } = stack.use(await makeTestFolder());
      bridge = stack.use(await runTestBridge(options));
      const { token } = bridge.host.tokens.create({ name: 'test', scope: 'all' });
      backend = stack.use(await connect({ url: bridge.url, token }));
      tokenFile = join(cli.folder, 'token');
      await writeFile(tokenFile, `${token}\n`, { mode: 0o600 });
    });
    afterAll(() => stack.disposeAsync());

    test('B-9 a snapshot leaves as a file and comes back as another sandbox, under the same id', async () => {
      const file = join(cli.folder, 'work.coppice');
      await run('export', file, 'good');
      await run('import', file, '--as', 'copy');
      expect(await inside('cat ~/work/file', 'copy')).toBe('one\n');
      expect(await run('head', '-s', 'copy')).toBe(await run('head', 'good'));
    });

    test('B-9 a sandbox is pushed, goes on there, and what it did is pulled into the history it came from', async () => {
      await inside('echo here > ~/pushed');
      const before = await run('head');
      await run('push', '--to', bridge.url, '--token-file', tokenFile, '--as', 'there');
      // Nothing has changed since that command: there is no snapshot more.
      expect(await run('head')).toBe(before);
      const atBridge = ['--bridge', bridge.url, '--token-file', tokenFile, '-s', 'there'];
      expect(await run('exec', ...atBridge, '--', 'cat', '/home/user/pushed')).toBe('here\n');
      await run('exec', ...atBridge, '--', 'bash', '-c', 'echo there > ~/pushed');
      await run('commit', ...atBridge, '-m', 'done there');
      expect(await run('diff', ...atBridge, 'HEAD', 'now')).toBe('');
      expect(await run('status', ...atBridge)).toContain(`kept in    ${bridge.url}`);
      const done = (await run('head', ...atBridge)).trim();
      await run(
        'pull',
        'there',
        '--from',
        bridge.url,
        '--token-file',
        tokenFile,
        '--ref',
        'HEAD',
        '--into',
        'default',
      );
      expect(await run('log', '--all')).toContain('done there');
      await run('checkout', done);
      expect(await inside('cat ~/pushed')).toBe('there\n');
    });

    test('B-9 a file that coppice wrote opens through the SDK, as in the page, and one of the SDK by coppice', async () => {
      const file = join(cli.folder, 'exchange.coppice');
      await run('export', file);
      const bytes = await readFile(file);
      const pieces = async function* () {
        yield new Uint8Array(bytes);
      };
      const { id, imageDigest } = await Sandbox.importSnapshot(pieces(), { backend });
      await using sandbox = await Sandbox.open(id, { backend });
      expect(await sandbox.history.head()).toBe((await run('head')).trim());
      await sandbox.run('echo by the SDK > ~/exchanged');
      await sandbox.createSnapshot();
      const written: Uint8Array[] = [];
      for await (const piece of sandbox.exportSnapshot()) written.push(piece);
      await writeFile(file, Buffer.concat(written));
      const made = JSON.parse(await run('import', file, '--as', 'exchanged', '--json'));
      expect(made.imageDigest).toBe(imageDigest);
      expect(await inside('cat ~/exchanged', 'exchanged')).toBe('by the SDK\n');
    });

    test('S-4 a whole root leaves as a tar and comes back in place of all files, which can be undone', async () => {
      const archive = join(cli.folder, 'root.tar');
      await inside('echo saved > ~/tarred; ln -s tarred ~/link');
      await run('snapshot', '--out', archive);
      await inside('rm ~/tarred; echo later > ~/other');
      await run('restore', '--in', archive, '-m', 'from the tar');
      expect(await inside('cat ~/link; ls ~/other 2>&1 | wc -l; id -un')).toBe('saved\n1\nuser\n');
      await run('checkout', '-');
      expect(await inside('cat ~/other')).toBe('later\n');
    });
  });
});
