import { expect, test, vi } from 'vitest';
import { Sandbox, type ShellBackendOptions, type ShellCommand, shellBackend } from './index.ts';

function create(options: ShellBackendOptions): Promise<Sandbox> {
  return Sandbox.create({ backend: shellBackend(options) });
}

const shout: ShellCommand = {
  name: 'shout',
  run: async ({ args, stdin, stdout, stderr, cwd, env, files }) => {
    const text = args[0] === undefined ? await stdin.text() : await files.read(args[0]);
    void stdout.write(`${text.trim().toUpperCase()}${env.MARK}\n`);
    void stderr.write(`in ${cwd}\n`);
    await files.write('out/last', text).catch(async () => {
      await files.makeDirectory('out');
      await files.write('out/last', text);
    });
    return args.length;
  },
};

test('S-1 a command of the host takes part in a script as a program: pipes, redirections, files, exit code', async () => {
  await using sandbox = await create({ commands: [shout] });
  const script = `cd /tmp; export MARK='!'; echo hi > f; echo 'é there' | shout | cat -A; shout f > o 2> e; echo $?; cat o e out/last; type -t shout`;
  const { stdout, stderr, exitCode, files } = await sandbox.run(script);
  expect({ stdout, stderr, exitCode }).toEqual({
    stdout: 'M-CM-^I THERE!$\n1\nHI!\nin /tmp\nhi\nfile\n',
    stderr: 'in /tmp\n',
    exitCode: 0,
  });
  expect(files.created).toContain('/tmp/out/last');
});

test('S-1 whatever a command of the host does, its process ends with an exit code, and others go on', async () => {
  const commands: ShellCommand[] = [
    {
      name: 'throws',
      run: () => {
        throw new Error('no luck');
      },
    },
    { name: 'rejects', run: () => Promise.reject('a string') },
    { name: 'answers', run: () => Number.NaN },
    { name: 'sleeps', run: () => new Promise(() => {}) },
    {
      name: 'floods',
      run: async ({ stdout }) => {
        for (;;) await stdout.write('y\n');
      },
    },
  ];
  await using sandbox = await create({ commands });
  const { stdout, stderr } = await sandbox.run('for c in throws rejects answers; do $c; echo $?; done');
  expect(stdout).toBe('1\n1\n1\n');
  expect(stderr).toBe('throws: no luck\nrejects: a string\nanswers: answered NaN, which is no exit code\n');
  expect((await sandbox.run('set -o pipefail; floods | head -n 1; echo $?')).stdout).toBe('y\n141\n');
  expect(await sandbox.run('timeout 0.01 sleeps')).toMatchObject({ exitCode: 124 });
  expect(await sandbox.run('sleeps', { timeoutMs: 20 })).toMatchObject({ reason: 'timeout', limit: 'time' });
});

test('S-1 a command whose process has ended reaches neither its output nor the files', async () => {
  const started = Promise.withResolvers<void>();
  const late = Promise.withResolvers<readonly string[]>();
  const run: ShellCommand['run'] = ({ stdout, files, signal }) => {
    signal.addEventListener('abort', async () => {
      const outcome = (work: Promise<unknown>) => work.then(String, () => 'refused');
      late.resolve([await outcome(stdout.write('x')), await outcome(files.write('/tmp/late', 'x'))]);
    });
    started.resolve();
    return new Promise(() => {});
  };
  await using sandbox = await create({ commands: [{ name: 'waits', run }] });
  const process = await sandbox.commands.run('waits', { background: true });
  await started.promise;
  await process.kill();
  const { stdout } = await process.wait();
  expect(await late.promise).toEqual(['refused', 'refused']);
  expect(stdout).toBe('');
  expect(await sandbox.files.exists('/tmp/late')).toBe(false);
});

test('S-1 only what is allowed is there, by whatever way it is called, beside the commands of the host', async () => {
  await using sandbox = await create({
    allow: ['cat', 'echo', 'xargs', 'command', 'builtin'],
    commands: [shout],
  });
  const script = `echo a | cat; ls; printf x; command rm f; builtin pwd; /usr/bin/ls; echo ls | xargs -I{} {} /; for i in 1 2; do echo $i; done; shout /etc/hostname`;
  const { stdout, stderr } = await sandbox.run(script);
  expect(stdout).toMatch(/^a\n1\n2\n/);
  for (const name of ['ls', 'printf', 'rm']) expect(stderr).toContain(`${name}: command not found`);
  expect(stderr).toContain('pwd: not a shell builtin');
  expect(stderr).toContain('/usr/bin/ls: No such file');
  expect(stdout).not.toContain('etc');
  await expect(sandbox.shell()).rejects.toMatchObject({ code: 'unsupported' });
  await expect(create({ allow: ['no-such'] })).rejects.toMatchObject({ code: 'invalid-argument' });
  await expect(create({ commands: [{ ...shout, name: 'a/b' }] })).rejects.toMatchObject({
    code: 'invalid-argument',
  });
});

test('S-1 a command of the host is there instead of a built-in of its name', async () => {
  await using sandbox = await create({
    commands: [{ name: 'echo', run: ({ stdout }) => stdout.write('mine\n').then(() => 0) }],
  });
  expect((await sandbox.run('echo a; builtin echo b')).stdout).toBe('mine\n');
  const shell = await sandbox.shell();
  expect((await shell.run('x=1; echo')).stdout).toBe('mine\n');
});

test('S-1 a transform changes what scripts do, also those of shells, eval, source and substitutions', async () => {
  await using sandbox = await create({
    transform: (script) => {
      const text = JSON.stringify(script);
      if (text.includes('forbidden')) throw new Error('forbidden is not for you');
      return JSON.parse(text.replaceAll('"one"', '"two"'));
    },
  });
  const script = `echo one $(echo one); eval 'echo one'; f() { echo one; }; f; echo 'echo one' > s; source ./s`;
  expect((await sandbox.run(script)).stdout).toBe('two two\ntwo\ntwo\ntwo\n');
  const refused = await sandbox.run('echo first\nforbidden; echo no\necho after');
  expect(refused).toMatchObject({ stdout: 'first\n', exitCode: 126 });
  expect(refused.stderr).toContain('forbidden is not for you');
  const shell = await sandbox.shell();
  expect(await shell.run('forbidden')).toMatchObject({ exitCode: 126 });
  expect(await shell.run('a=one; echo $a one')).toMatchObject({ stdout: 'two two\n', exitCode: 0 });
});

test('S-1 a transform that answers nonsense, or a circle, ends the script and nothing else', async () => {
  let answer: unknown;
  using warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
  await using sandbox = await create({ transform: (script) => (answer ?? script) as typeof script });
  const circle: unknown[] = [];
  circle.push(circle);
  for (const nonsense of [
    7,
    'text',
    { type: 'Script' },
    { type: 'Script', statements: [{ pipelines: 3 }] },
  ]) {
    answer = nonsense;
    expect(await sandbox.run('echo a')).toMatchObject({ exitCode: 126, stdout: '' });
  }
  answer = { type: 'Script', statements: circle };
  expect(await sandbox.run('echo a')).toMatchObject({ exitCode: 126, limit: 'transformedNodes' });
  expect(warned).toHaveBeenCalledOnce();
  answer = undefined;
  expect((await sandbox.run('echo a')).stdout).toBe('a\n');
});

test('S-1 a result names the limit that ended its command, also one of a child', async () => {
  const violations: string[] = [];
  const hooks = { onViolation: ({ message }: { message: string }) => void violations.push(message) };
  await using sandbox = await Sandbox.create({ backend: shellBackend(), hooks });
  expect(await sandbox.run('f() { f; }; f')).toMatchObject({ exitCode: 126, limit: 'callDepth' });
  expect(await sandbox.run('(f() { f; }; f)')).toMatchObject({ exitCode: 126, limit: 'callDepth' });
  expect(await sandbox.run('(f() { f; }; f); true')).not.toHaveProperty('limit');
  const other = await sandbox.run('(f() { f; }; f); touch a; ./a; exit $?');
  expect(other).toMatchObject({ exitCode: 126 });
  expect(other).not.toHaveProperty('limit');
  expect(await sandbox.run('yes | sort > /dev/null')).toMatchObject({ limit: 'lines' });
  const shell = await sandbox.shell();
  expect(await shell.run('f() { f; }; f')).toMatchObject({ limit: 'callDepth' });
  expect(violations[0]).toBe('The command ended with 126: limit callDepth');
});
