/** Milliseconds of each thing that a visitor does in the first minute. */
export interface Minute {
  readonly firstPython: number;
  readonly git200: number;
  /** The second run of a python loop: its code has been compiled. */
  readonly cpuLoop: number;
}

/** Runs in an empty page of the site's origin: makes a sandbox from `coppice.js` and uses it. */
export async function spendMinute(module: string): Promise<Minute> {
  const { Sandbox }: typeof import('../../../sdk/index.ts') = await import(module);
  const sandbox = await Sandbox.create();
  const time = async (command: string): Promise<number> => {
    const start = performance.now();
    const { exitCode, stderr } = await sandbox.run(command);
    if (exitCode !== 0) throw new Error(`${command}: ${stderr}`);
    return performance.now() - start;
  };
  const loop = `python3 -c 'print(sum(i * i for i in range(600000)))'`;
  const git = [
    'mkdir repository && cd repository && git init -q .',
    'for i in $(seq 200); do echo "line $i" > file$i; done',
    'git add . && git -c user.name=a -c user.email=a@example.org commit -qm all',
  ].join(' && ');
  const firstPython = await time(`python3 -c 'print(1)'`);
  const git200 = await time(git);
  await time(loop);
  return { firstPython, git200, cpuLoop: await time(loop) };
}

/** Runs there too: milliseconds in which python makes 2,000 small files on the guest's own tmpfs, and on its root. */
export async function createFiles(
  module: string,
): Promise<{ readonly tmpfs: number; readonly root: number }> {
  const { Sandbox }: typeof import('../../../sdk/index.ts') = await import(module);
  const sandbox = await Sandbox.create();
  const create = async (folder: string): Promise<number> => {
    const program = [
      'import os, time',
      `os.makedirs('${folder}')`,
      'start = time.monotonic()',
      'for n in range(2000):',
      `    with open(f'${folder}/{n}', 'w') as file: file.write(str(n))`,
      'print(time.monotonic() - start)',
    ].join('\n');
    const { exitCode, stdout, stderr } = await sandbox.run(['python3', '-c', program]);
    if (exitCode !== 0) throw new Error(stderr);
    return Number(stdout) * 1000;
  };
  // The first of each makes v86 compile what it runs.
  await create('/dev/shm/first');
  await create('first');
  return { tmpfs: await create('/dev/shm/second'), root: await create('second') };
}

/** Runs there too: an hour's work without its pauses. */
export async function workAnHour(module: string): Promise<void> {
  const { Sandbox }: typeof import('../../../sdk/index.ts') = await import(module);
  const sandbox = await Sandbox.create();
  const run = async (command: string): Promise<void> => {
    const { exitCode, stderr } = await sandbox.run(command);
    if (exitCode !== 0) throw new Error(`${command}: ${stderr}`);
  };
  const commit = 'git add -A && git -c user.name=a -c user.email=a@example.org commit -qm step';
  await run('mkdir project && cd project && git init -q .');
  const kept: string[] = [];
  for (let n = 0; n < 40; n++) {
    await sandbox.files.write(`/home/user/project/module${n}.py`, `def answer():\n    return ${n} * 6\n`);
    await run(`cd project && python3 -c 'import module${n}; assert module${n}.answer() == ${n * 6}'`);
    await run(
      `cd project && seq 1 ${1000 * (n + 1)} | sort -r | gzip > data${n}.gz && zcat data${n}.gz | wc -l`,
    );
    await run(`cd project && ${commit} && git log --oneline | head -5 && git diff HEAD~0 --stat`);
    kept.push((await sandbox.createSnapshot()).id);
    const back = kept.at(-5);
    if (n % 8 === 7 && back !== undefined) await sandbox.checkout(back);
  }
}
