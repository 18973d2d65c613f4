import type { GuestLibrary } from './guest-host.ts';

/** `process`, `path`, `os`, and timers. Runs within QuickJS. */
export function installProcess({ call, modules, argv, environment, cwd, timers }: GuestLibrary): void {
  function normalize(path: string): string {
    const names: string[] = [];
    for (const name of path.split('/')) {
      if (name === '' || name === '.') continue;
      if (name !== '..') names.push(name);
      else if (names.length > 0 && names.at(-1) !== '..') names.pop();
      else if (!path.startsWith('/')) names.push('..');
    }
    const whole =
      (path.startsWith('/') ? '/' : '') +
      names.join('/') +
      (path.endsWith('/') && names.length > 0 ? '/' : '');
    return whole || '.';
  }

  function resolve(...paths: readonly string[]): string {
    let whole = cwd;
    for (const path of paths) whole = path.startsWith('/') ? path : `${whole}/${path}`;
    const normal = normalize(whole);
    return normal.length > 1 ? normal.replace(/\/$/, '') : normal;
  }

  function basename(path: string, ending = ''): string {
    const name = path.replace(/\/+$/, '').split('/').at(-1) ?? '';
    return ending !== '' && name !== ending && name.endsWith(ending) ? name.slice(0, -ending.length) : name;
  }

  function dirname(path: string): string {
    const at = path.replace(/\/+$/, '').lastIndexOf('/');
    if (at < 0) return '.';
    return at === 0 ? '/' : path.slice(0, at);
  }

  function extname(path: string): string {
    const name = basename(path);
    const at = name.lastIndexOf('.');
    return at <= 0 ? '' : name.slice(at);
  }

  function relative(from: string, to: string): string {
    const start = resolve(from).split('/').filter(Boolean);
    const end = resolve(to).split('/').filter(Boolean);
    let same = 0;
    while (same < start.length && start[same] === end[same]) same += 1;
    return [...start.slice(same).map(() => '..'), ...end.slice(same)].join('/');
  }

  function setTimer(
    run: (...args: unknown[]) => void,
    delayMs: unknown,
    args: readonly unknown[],
    repeats: boolean,
  ): number {
    const delay = Math.max(1, Number(delayMs) || 0);
    nextTimer += 1;
    const every = repeats ? delay : undefined;
    timers.push({ at: Date.now() + delay, id: nextTimer, every, run: () => run(...args) });
    return nextTimer;
  }

  function clearTimer(id: unknown): void {
    const at = timers.findIndex((timer) => timer.id === id);
    if (at >= 0) timers.splice(at, 1);
  }

  let nextTimer = 0;
  const path = {
    basename,
    delimiter: ':',
    dirname,
    extname,
    isAbsolute: (name: string) => name.startsWith('/'),
    join: (...names: readonly string[]) => normalize(names.filter(Boolean).join('/') || '.'),
    normalize,
    relative,
    resolve,
    sep: '/',
  };
  const writer = (fd: 1 | 2) => ({
    write: (text: unknown) => {
      if (text instanceof Uint8Array) call('output', [fd], new Uint8Array(text).buffer);
      else call('output', [fd, String(text)]);
      return true;
    },
  });
  const process = {
    argv: [...argv],
    cwd: () => cwd,
    env: environment,
    exit: (code?: number) => {
      call('exit', [code ?? process.exitCode ?? 0]);
    },
    exitCode: undefined as number | undefined,
    hrtime: { bigint: () => BigInt(Math.round(Date.now() * 1_000_000)) },
    nextTick: (run: (...args: unknown[]) => void, ...args: unknown[]) =>
      void Promise.resolve().then(() => run(...args)),
    platform: 'linux',
    stderr: writer(2),
    get stdin(): never {
      throw new Error('process.stdin is not here: read all of it by fs.readFileSync(0)');
    },
    stdout: writer(1),
    versions: { quickjs: '2024-01-13' },
  };
  Object.assign(modules, {
    path: Object.assign(path, { posix: path }),
    process,
    os: { EOL: '\n', homedir: () => environment.HOME ?? '/', platform: () => 'linux', tmpdir: () => '/tmp' },
  });
  Object.assign(globalThis, {
    global: globalThis,
    process,
    queueMicrotask: (run: () => void) => void Promise.resolve().then(run),
    setTimeout: (run: () => void, delayMs?: number, ...args: unknown[]) =>
      setTimer(run, delayMs, args, false),
    setInterval: (run: () => void, delayMs?: number, ...args: unknown[]) =>
      setTimer(run, delayMs, args, true),
    setImmediate: (run: () => void, ...args: unknown[]) => setTimer(run, 0, args, false),
    clearTimeout: clearTimer,
    clearInterval: clearTimer,
    clearImmediate: clearTimer,
    performance: { now: () => Date.now() },
  });
}
