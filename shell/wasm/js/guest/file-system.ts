import type { GuestLibrary, HostCall } from './guest-host.ts';

/** `fs` and `fs/promises`: the calls that work at once, and those that answer a promise of the same. Runs within QuickJS. */
export function installFileSystem({ call, modules }: GuestLibrary): void {
  type Encoding =
    | string
    | { encoding?: string | null; recursive?: boolean; force?: boolean; withFileTypes?: boolean }
    | null;
  interface Stat {
    mode: number;
    size: number;
    mtimeMs: number;
  }
  const BufferClass: { from(value: unknown, encoding?: unknown): Uint8Array } = Reflect.get(
    globalThis,
    'Buffer',
  );

  function ask(name: HostCall, syscall: string, args: readonly unknown[], bytes?: ArrayBuffer): unknown {
    const answer = call(name, args, bytes);
    if ('value' in answer) return answer.value;
    const [path, dest] = args;
    const target = dest === undefined ? `'${path}'` : `'${path}' -> '${dest}'`;
    const message = `${answer.code}: ${answer.message.toLowerCase()}, ${syscall} ${target}`;
    throw Object.assign(new Error(message), { code: answer.code, syscall, path });
  }

  const encodingOf = (options?: Encoding) => (typeof options === 'string' ? options : options?.encoding);
  const optionsOf = (options?: Encoding) => (typeof options === 'object' && options !== null ? options : {});

  function bytesOf(data: unknown, options?: Encoding): ArrayBuffer {
    const bytes = data instanceof Uint8Array ? data : BufferClass.from(String(data), encodingOf(options));
    return new Uint8Array(bytes).buffer;
  }

  function statOf(name: 'stat' | 'lstat', path: string): object {
    const { mode, size, mtimeMs } = ask(name, name, [path]) as Stat;
    const is = (type: number) => () => (mode & 0o170000) === type;
    const types = { isFile: is(0o100000), isDirectory: is(0o040000), isSymbolicLink: is(0o120000) };
    return { mode, size, mtimeMs, mtime: new Date(mtimeMs), ...types };
  }

  function exists(path: string): boolean {
    return 'value' in call('stat', [path]);
  }

  const nameOf = (path: string, name: string): string =>
    path.endsWith('/') ? path + name : `${path}/${name}`;

  function makeDirectories(path: string): void {
    const names = path.split('/');
    for (let count = 1; count <= names.length; count++) {
      const parent = names.slice(0, count).join('/');
      if (parent !== '' && !exists(parent)) ask('mkdir', 'mkdir', [parent]);
    }
  }

  function remove(path: string, options: { recursive?: boolean; force?: boolean }): void {
    const found = call('lstat', [path]);
    if (!('value' in found) && options.force) return;
    const { mode } = ask('lstat', 'rm', [path]) as Stat;
    if ((mode & 0o170000) === 0o040000) {
      if (!options.recursive) {
        throw Object.assign(new Error(`Path is a directory: rm returned EISDIR (is a directory) ${path}`), {
          code: 'ERR_FS_EISDIR',
        });
      }
      for (const name of ask('readdir', 'scandir', [path]) as string[]) remove(nameOf(path, name), options);
    }
    ask('remove', 'rm', [path]);
  }

  const sync = {
    readFile(path: string | number, options?: Encoding): unknown {
      const isInput = path === 0 || path === '/dev/stdin';
      const read = isInput ? ask('stdin', 'read', [path]) : ask('readFile', 'open', [path]);
      const buffer = BufferClass.from(new Uint8Array(read as ArrayBuffer));
      const encoding = encodingOf(options);
      return encoding ? Reflect.apply(buffer.toString, buffer, [encoding]) : buffer;
    },
    writeFile(path: string | number, data: unknown, options?: Encoding): void {
      if (path === 1 || path === 2) call('output', [path], bytesOf(data, options));
      else ask('writeFile', 'open', [path], bytesOf(data, options));
    },
    appendFile(path: string, data: unknown, options?: Encoding): void {
      ask('appendFile', 'open', [path], bytesOf(data, options));
    },
    readdir(path: string, options?: Encoding): unknown {
      const names = ask('readdir', 'scandir', [path]) as string[];
      if (!optionsOf(options).withFileTypes) return names;
      return names.map((name) => ({ name, parentPath: path, ...statOf('lstat', nameOf(path, name)) }));
    },
    mkdir(path: string, options?: Encoding): void {
      if (optionsOf(options).recursive) makeDirectories(path);
      else ask('mkdir', 'mkdir', [path]);
    },
    rm: (path: string, options?: Encoding): void => remove(path, optionsOf(options)),
    rmdir: (path: string): void => void ask('remove', 'rmdir', [path]),
    unlink: (path: string): void => void ask('remove', 'unlink', [path]),
    rename: (path: string, to: string): void => void ask('rename', 'rename', [path, to]),
    copyFile: (path: string, to: string): void =>
      void ask('writeFile', 'copyfile', [to], ask('readFile', 'copyfile', [path]) as ArrayBuffer),
    chmod: (path: string, mode: number): void => void ask('chmod', 'chmod', [path, mode]),
    symlink: (target: string, path: string): void => void ask('symlink', 'symlink', [target, path]),
    readlink: (path: string): unknown => ask('readlink', 'readlink', [path]),
    realpath: (path: string): unknown => ask('realpath', 'realpath', [path]),
    stat: (path: string): object => statOf('stat', path),
    lstat: (path: string): object => statOf('lstat', path),
    access: (path: string): void => void ask('stat', 'access', [path]),
  };
  const promises = Object.fromEntries(
    Object.entries(sync).map(([name, work]) => [
      name,
      async (...args: unknown[]) => Reflect.apply(work, undefined, args),
    ]),
  );
  modules['fs/promises'] = promises;
  modules.fs = {
    ...Object.fromEntries(Object.entries(sync).map(([name, work]) => [`${name}Sync`, work])),
    existsSync: exists,
    promises,
  };
}
