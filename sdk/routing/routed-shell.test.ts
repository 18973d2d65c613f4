import { describe, expect, test, vi } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import type { SandboxHooks } from '../command-hooks.ts';
import { Sandbox } from '../sandbox.ts';
import type { Place, PlaceChoice, StandbyBackend } from './place.ts';
import { RoutedShell } from './routed-shell.ts';

/** Prints what it is given, as a program that only the last of the places has. */
const compile = { name: 'compile', run: async () => 0 };

function twoPlaces() {
  const light = shellBackend();
  const heavy = shellBackend({ commands: [compile] });
  const places: readonly Place[] = [
    { name: 'light', backend: light, runtime: 'shell' },
    { name: 'heavy', backend: heavy, runtime: 'shell' },
  ];
  return { light, heavy, places };
}

/** As two places, with nothing in common: files go one by one. */
function differentPlaces() {
  const { light, heavy, places } = twoPlaces();
  const create: SandboxBackend['create'] = ({ image: _, ...ask }, told) =>
    heavy.create({ ...ask, runtime: 'shell' }, told);
  const other: SandboxBackend = {
    create,
    open: (...asked) => heavy.open(...asked),
    connect: (ask) => heavy.connect(ask),
    list: () => heavy.list(),
    delete: (ask) => heavy.delete(ask),
    exportTar: (ask) => heavy.exportTar(ask),
    openImport: (ask) => heavy.openImport({ ...ask, runtime: 'shell' }),
  };
  const anew: readonly Place[] = [...places.slice(0, 1), { name: 'heavy', backend: other, runtime: 'v86' }];
  return { light, anew };
}

async function idsIn(backend: Place['backend']): Promise<string[]> {
  return (await backend.list()).map(({ id }) => id);
}

describe('B-8 a shell that moves between places', () => {
  test('begins in the first place that has what it needs, and says why', async () => {
    const { places } = twoPlaces();
    await using plain = await RoutedShell.open({ places });
    expect(plain.choice).toMatchObject({ place: { name: 'light' }, why: 'light has all that it needs' });
    await using needing = await RoutedShell.open({ places, needs: { program: 'compile' } });
    expect(needing.choice).toMatchObject({ place: { name: 'heavy' }, why: 'light has no compile' });
    await using asked = await RoutedShell.open({ places, place: 'heavy' });
    expect(asked.choice).toMatchObject({ place: { name: 'heavy' }, why: 'as asked' });
    const impossible = RoutedShell.open({ places, needs: { is64Bit: true } });
    await expect(impossible).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('heavy has 32 bits'),
    });
    await expect(RoutedShell.open({ places, place: 'none' })).rejects.toMatchObject({ code: 'not-found' });
    await expect(RoutedShell.open({ places: [] })).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  test('S-3 goes on where a program is, with files, directory, variables, functions and aliases', async () => {
    const { light, places } = twoPlaces();
    const told: PlaceChoice[] = [];
    await using routed = await RoutedShell.open({
      places,
      envs: { TOKEN: 'secret' },
      onChoice: (choice) => told.push(choice),
    });
    await routed.run('mkdir -p ~/work && cd ~/work; export A=1; say() { echo "said $1 $TOKEN"; }');
    const before = await routed.run('alias shout="say LOUD"; echo 1 > count; shopt -s expand_aliases');
    expect(before.choice.place.name).toBe('light');
    const first = routed.sandbox.id;
    let output = '';
    const result = await routed.run('echo 2 >> count; A=2; echo trying; compile', {
      onStdout: (text) => {
        output += text;
      },
    });
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: 'trying\n',
      choice: { why: 'light has no compile' },
    });
    expect(output).toBe('trying\ntrying\n');
    expect(result.choice).toMatchObject({ place: { name: 'heavy' }, left: { sandbox: first }, lost: [] });
    expect(told.map(({ place }) => place.name)).toEqual(['light', 'heavy']);
    const after = await routed.run('pwd; cat count; echo $A; say it; shout');
    expect(after.stdout).toBe('/home/user/work\n1\n2\n2\nsaid it secret\nsaid LOUD secret\n');
    // What it has left is as before the command.
    await using left = await Sandbox.open(first, { backend: light });
    expect(await left.files.read('/home/user/work/count')).toBe('1\n');
    const [kept] = await left.shells();
    expect((await (await left.shell({ id: kept?.id ?? '' })).run('echo $A')).stdout).toBe('1\n');
  });

  test('stays with its first result where no place has a program, and nothing is left of the others', async () => {
    const { heavy, places } = twoPlaces();
    const told: string[] = [];
    await using routed = await RoutedShell.open({
      places,
      onChoice: ({ place, why }) => told.push(`${place.name}: ${why}`),
    });
    const result = await routed.run('echo once >> ~/log; mispelt');
    expect(result).toMatchObject({
      exitCode: 127,
      stderr: expect.stringContaining('mispelt: command not found'),
    });
    expect(result.choice).toMatchObject({
      place: { name: 'light' },
      why: 'light has no mispelt; heavy has no mispelt',
    });
    expect(told).toEqual([
      'light: light has all that it needs',
      'heavy: light has no mispelt',
      'light: light has no mispelt; heavy has no mispelt',
    ]);
    expect((await routed.run('cat ~/log')).stdout).toBe('once\n');
    expect(await heavy.list()).toEqual([]);
    expect(routed.choice.why).toBe('light has all that it needs');
  });

  test.each([
    'compile | cat',
    'x=$(compile); echo "done"',
    "echo 'compile; true' > ~/script; sh ~/script",
    'echo 1 | xargs compile; true',
  ])('moves for a program that is missing in the midst of a command: %s', async (command) => {
    const { places } = twoPlaces();
    await using routed = await RoutedShell.open({ places });
    const result = await routed.run(command);
    expect(result).toMatchObject({
      exitCode: 0,
      stderr: '',
      choice: { place: { name: 'heavy' }, why: 'light has no compile' },
    });
  });

  test('stays where a command looks for a program only, or allows for its lack', async () => {
    const { places } = twoPlaces();
    await using routed = await RoutedShell.open({ places });
    for (const command of [
      'command -v compile; which compile; true',
      'compile || echo none',
      'if compile; then echo here; fi',
      '! compile',
    ]) {
      expect((await routed.run(command)).choice.place.name).toBe('light');
    }
    // What one command lacked is nothing to the next.
    expect(await routed.run('echo fine | cat')).toMatchObject({ stdout: 'fine\n' });
    expect((await routed.run('mispelt | cat')).choice).toMatchObject({
      place: { name: 'light' },
      why: 'light has no mispelt; heavy has no mispelt',
    });
  });

  test('can be overruled: a command runs where it is asked to and nowhere else, up or down', async () => {
    const { places } = twoPlaces();
    await using routed = await RoutedShell.open({ places });
    await routed.run('A=1; cd /tmp');
    expect(await routed.run('compile', { place: 'light' })).toMatchObject({
      exitCode: 127,
      choice: { why: 'as asked' },
    });
    expect(await routed.run('echo $A $PWD', { place: 'heavy' })).toMatchObject({
      stdout: '1 /tmp\n',
      choice: { place: { name: 'heavy' } },
    });
    await routed.run('A=2; echo new > /tmp/new');
    expect(await routed.moveTo('light')).toMatchObject({ place: { name: 'light' }, why: 'as asked' });
    expect((await routed.run('echo $A; cat new')).stdout).toBe('2\nnew\n');
    await expect(routed.run('true', { place: 'none' })).rejects.toMatchObject({ code: 'not-found' });
  });

  test('stays whole where it cannot move', async () => {
    const { light, heavy, places } = twoPlaces();
    const refuses = () => Promise.reject(new Error('The disk is full'));
    heavy.openImport = refuses;
    const told: string[] = [];
    await using routed = await RoutedShell.open({
      places,
      onChoice: ({ place, why }) => told.push(`${place.name}: ${why}`),
    });
    await routed.run('A=1');
    const result = await routed.run('A=2; compile');
    expect(result).toMatchObject({
      exitCode: 127,
      choice: { why: 'light has no compile; heavy cannot take it: The disk is full' },
    });
    expect(told.slice(1)).toEqual(['light: light has no compile; heavy cannot take it: The disk is full']);
    await expect(routed.moveTo('heavy')).rejects.toMatchObject({ message: 'The disk is full' });
    expect((await routed.run('echo $A')).stdout).toBe('2\n');
    expect(await idsIn(light)).toEqual([routed.sandbox.id]);
    expect(await heavy.list()).toEqual([]);
  });

  test('runs a command without room for a snapshot, as it may make some, and moves nowhere then', async () => {
    const { places } = twoPlaces();
    await using routed = await RoutedShell.open({ places });
    const full = new SandboxError('storage-full', 'No room');
    const taking = vi.spyOn(routed.sandbox, 'createSnapshot').mockRejectedValue(full);
    expect(await routed.run('echo made; compile')).toMatchObject({
      stdout: 'made\n',
      exitCode: 127,
      choice: { place: { name: 'light' } },
    });
    taking.mockRestore();
    expect(await routed.run('compile')).toMatchObject({ exitCode: 0, choice: { place: { name: 'heavy' } } });
  });

  test('H-8 leaves nothing behind where it is aborted, and what it has left is deleted with it where that is asked for', async () => {
    const { light, heavy, places } = twoPlaces();
    const abort = new AbortController();
    const routed = await RoutedShell.open({
      places,
      deletesLeft: true,
      onChoice: ({ place }) => place.name === 'heavy' && abort.abort(),
    });
    await routed.run('echo 1 > ~/file');
    const moving = routed.run('compile && sleep 1000', { signal: abort.signal });
    await expect(moving).rejects.toMatchObject({ code: 'aborted' });
    expect(routed.choice.place.name).toBe('light');
    expect(await heavy.list()).toEqual([]);
    await routed.moveTo('heavy');
    expect(await idsIn(light)).toHaveLength(1);
    await routed.close();
    expect(await light.list()).toEqual([]);
    expect(await idsIn(heavy)).toHaveLength(1);
    await expect(routed.run('true')).rejects.toMatchObject({ code: 'aborted' });
  });

  test('H-8 ends what runs and what waits when it is closed; what waits can be given up', async () => {
    const { light, places } = twoPlaces();
    const routed = await RoutedShell.open({ places });
    const up = Promise.withResolvers<void>();
    const long = routed.run('echo up; sleep 1000', { onStdout: () => up.resolve() });
    await up.promise;
    const abort = new AbortController();
    const unwanted = routed.run('touch ~/unwanted', { signal: abort.signal });
    const waits = routed.run('touch ~/unwanted');
    abort.abort();
    await expect(unwanted).rejects.toMatchObject({ code: 'aborted' });
    const ends = [long, waits].map((run) => expect(run).rejects.toMatchObject({ code: 'aborted' }));
    await routed.close();
    await Promise.all(ends);
    await using left = await Sandbox.open(routed.sandbox.id, { backend: light });
    expect(await left.files.exists('/home/user/unwanted')).toBe(false);
  });

  test('can begin in a sandbox of somebody else, which stays theirs', async () => {
    const { light, places } = twoPlaces();
    await using sandbox = await Sandbox.create({ backend: light });
    const shell = await sandbox.shell();
    await shell.run('A=1; echo 1 > ~/file');
    {
      await using routed = await RoutedShell.open({ places, sandbox, shell });
      const moved = await routed.run('compile && echo $A && cat ~/file');
      expect(moved).toMatchObject({ stdout: '1\n1\n', choice: { place: { name: 'heavy' }, lost: [] } });
    }
    expect((await shell.run('echo $A; cat ~/file')).stdout).toBe('1\n1\n');
    {
      await using routed = await RoutedShell.open({ places, sandbox });
      expect((await routed.run('cat ~/file')).stdout).toBe('1\n');
      expect(await sandbox.shells()).toHaveLength(2);
    }
    expect((await sandbox.shells()).map(({ id }) => id)).toEqual([shell.id]);
  });

  test('S-11 a sandbox of somebody else takes its hooks along, and says that it lost its own variables', async () => {
    const { light, anew } = differentPlaces();
    const seen: unknown[] = [];
    const hooks: SandboxHooks = {
      onCommand: ({ command }) => {
        seen.push(command);
        if (command === 'echo evil') throw new Error('refused');
        return undefined;
      },
    };
    for (const places of [twoPlaces().places, anew]) {
      const { backend = light } = places[0] ?? {};
      await using sandbox = await Sandbox.create({ backend, hooks, envs: { TOKEN: 'secret' } });
      await using routed = await RoutedShell.open({ places, sandbox });
      const moved = await routed.run('compile && echo "[$TOKEN]"');
      expect(moved).toMatchObject({
        stdout: '[]\n',
        choice: { place: { name: 'heavy' }, lost: ['variables'] },
      });
      await expect(routed.run('echo evil')).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(seen.filter((command) => command === 'echo evil')).toHaveLength(2);
  });

  test('refuses hooks for a sandbox that has its own, and shells of others', async () => {
    const { light, places } = twoPlaces();
    await using sandbox = await Sandbox.create({ backend: light });
    await using other = await Sandbox.create({ backend: light });
    const refused = { code: 'invalid-argument' };
    const shell = await other.shell();
    await expect(RoutedShell.open({ places, shell })).rejects.toMatchObject(refused);
    await expect(RoutedShell.open({ places, sandbox, shell })).rejects.toMatchObject(refused);
    await expect(RoutedShell.open({ places, sandbox, hooks: {} })).rejects.toMatchObject(refused);
  });

  test('H-5 takes files along wherever they are, of a fork too, and keeps what it has left', async () => {
    const { light, anew } = differentPlaces();
    await using first = await Sandbox.create({ backend: light });
    await first.run('mkdir -m 777 /work', { user: 'root' });
    const shell = await first.shell();
    await shell.run('cd /work; echo precious > file');
    const [sandbox] = await first.fork();
    if (!(sandbox instanceof Sandbox)) throw sandbox;
    await using fork = sandbox;
    await using routed = await RoutedShell.open({
      places: anew,
      sandbox: fork,
      shell: await fork.shell({ id: shell.id }),
    });
    const moved = await routed.run('compile && pwd && cat file');
    expect(moved).toMatchObject({ stdout: '/work\nprecious\n', choice: { lost: [] } });
    await routed.close();
    expect(await idsIn(light)).toHaveLength(2);
  });

  test('leaves what a distribution has itself', async () => {
    const { anew } = differentPlaces();
    await using routed = await RoutedShell.open({ places: anew });
    const change =
      'echo x >> /etc/passwd; echo x > /usr/lib/mine; echo x > /usr/local/bin/mine; echo x > /etc/mine';
    await routed.sandbox.run(change, { user: 'root' });
    const moved = await routed.run(
      'compile && { grep -c x$ /etc/passwd; ls /usr/lib /usr/local/bin; cat /etc/mine; }',
    );
    expect(moved.stdout).toBe('0\n/usr/lib:\n\n/usr/local/bin:\nmine\nx\n');
  });

  test('does not run a command in another directory than it was for', async () => {
    const { light, heavy, places } = twoPlaces();
    const { anew } = differentPlaces();
    for (const each of [places, anew]) {
      await using routed = await RoutedShell.open({ places: each });
      await routed.run(
        'mkdir /usr/lib/here 2>/dev/null; cd ~; mkdir gone; cd gone; touch ~/kept; rmdir ~/gone',
      );
      const result = await routed.run('compile && rm ~/kept');
      expect(result).toMatchObject({ exitCode: 127, choice: { place: { name: 'light' } } });
      expect(result.choice.why).toMatch(
        /^light has no compile; heavy cannot take it: .*"\/home\/user\/gone"/,
      );
    }
    expect([(await light.list()).length, await heavy.list()]).toEqual([1, []]);
  });

  test('meets a need in the first place that really has the program', async () => {
    const { light, heavy, places } = twoPlaces();
    const middle = shellBackend();
    const all = [
      ...places.slice(0, 1),
      { name: 'middle', backend: middle, runtime: 'shell' as const },
      ...places.slice(1),
    ];
    await using routed = await RoutedShell.open({ places: all });
    const met = await routed.run('echo here', { needs: { program: 'compile' } });
    expect(met.choice).toMatchObject({
      place: { name: 'heavy' },
      why: 'the image of light has no compile; middle has no compile',
    });
    expect([(await light.list()).length, await middle.list(), (await heavy.list()).length]).toEqual([
      1,
      [],
      1,
    ]);
    await routed.moveTo('light');
    const unmet = await routed.run('none', { needs: { is64Bit: true } });
    expect(unmet.choice.why).toMatch(
      /^it is a program for 64-bit.*: it has to do with what there is here; light has no none; /,
    );
  });

  test('takes the history along, though nothing else has changed', async () => {
    const { places } = twoPlaces();
    await using routed = await RoutedShell.open({ places });
    await routed.run('A=1');
    await routed.moveTo('heavy');
    await routed.run('echo seen');
    await routed.moveTo('light');
    expect((await routed.run('history')).stdout).toContain('echo seen');
  });

  test('H-8 leaves nothing behind where it fails, and of what it is to delete keeps no more than some', async () => {
    const { light, heavy, places } = twoPlaces();
    const fails = () => {
      throw new Error('mine');
    };
    await expect(RoutedShell.open({ places, onChoice: fails })).rejects.toThrow('mine');
    expect(await light.list()).toEqual([]);
    const routed = await RoutedShell.open({ places, deletesLeft: true });
    for (let move = 0; move < 6; move++) {
      await routed.moveTo('heavy');
      await routed.moveTo('light');
    }
    const count = (await light.list()).length + (await heavy.list()).length;
    expect(count).toBe(1 + limits.routedShellLeft);
    vi.spyOn(routed.sandbox, 'close').mockRejectedValueOnce(new Error('gone'));
    await expect(routed.close()).rejects.toThrow('gone');
    expect([...(await light.list()), ...(await heavy.list())].map(({ id }) => id)).toEqual([
      routed.sandbox.id,
    ]);
  });

  test('S-3 with `standby` the next place gets ready, once, and after each move; one that cannot keeps nobody from it', async () => {
    const { places, heavy } = twoPlaces();
    const asked: unknown[] = [];
    const standBy: StandbyBackend['standBy'] = async (ask) => {
      asked.push(ask);
      throw new SandboxError('asset-unavailable', 'There is no image');
    };
    Object.assign(heavy, { standBy });
    const all: readonly Place[] = [
      ...places,
      { name: 'last', backend: heavy, runtime: 'shell', image: 'node' },
    ];
    {
      await using plain = await RoutedShell.open({ places: all });
      await plain.moveTo('heavy');
    }
    expect(asked).toEqual([]);
    await using routed = await RoutedShell.open({ places: all, standby: true, deletesLeft: true });
    await routed.run('echo 1');
    expect(asked).toEqual([{ runtime: 'shell' }]);
    const { choice, exitCode } = await routed.run('compile');
    expect([choice.place.name, exitCode]).toEqual(['heavy', 0]);
    expect(asked).toEqual([{ runtime: 'shell' }, { runtime: 'shell', image: 'node' }]);
    await routed.close();
    expect(asked).toHaveLength(2);
  });
});
