import type { DirectoryNode, FileSystemTree, WebContainer } from '@webcontainer/api';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MachineProcessEvent } from '../../protocol/machine-process.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { resolvePath } from '../../tree/live/resolve-path.ts';
import { mountsOf, readBack } from './carry-tree.ts';
import { webcontainerLimits } from './limits.ts';
import { WebContainerMachine } from './webcontainer-machine.ts';

/** A WebContainer whose files are an object, and whose programs are a test's. */
class MemoryContainer {
  files: FileSystemTree = {};
  /** What it does not do at once. */
  answers: Promise<unknown> = Promise.resolve();
  spawning: Promise<unknown> = Promise.resolve();
  exports = 0;
  spawns = 0;
  spawned: readonly string[] = [];
  killed = 0;
  isTornDown = false;
  onChange = (): void => undefined;

  readonly fs = {
    readdir: async () => Object.keys(this.files),
    rm: async (path: string) => void delete this.#in(path)[nameOf(path)],
    writeFile: async (path: string, contents: string | Uint8Array) => {
      this.#in(path)[nameOf(path)] = { file: { contents } };
    },
    readFile: async (path: string) => {
      const node = this.#in(path)[nameOf(path)];
      if (!node || !('file' in node) || !('contents' in node.file)) throw new Error('EISDIR');
      const { contents } = node.file;
      return typeof contents === 'string' ? new TextEncoder().encode(contents) : contents;
    },
    mkdir: async (path: string) => {
      this.#in(path)[nameOf(path)] = { directory: {} };
    },
    rename: async (path: string, to: string) => {
      const node = this.#in(path)[nameOf(path)];
      delete this.#in(path)[nameOf(path)];
      if (node) this.#in(to)[nameOf(to)] = node;
    },
    watch: (_path: string, _options: object, onChange: () => void) => {
      this.onChange = onChange;
      return { close: () => undefined };
    },
  };

  async mount(tree: FileSystemTree): Promise<void> {
    Object.assign(this.files, structuredClone({ ...tree }));
  }

  async export(): Promise<FileSystemTree> {
    this.exports++;
    await this.answers;
    return structuredClone(this.files);
  }

  async spawn(...[program, args]: [string, string[]]) {
    this.spawned = [program, ...args];
    this.spawns++;
    await this.spawning;
    const exit = Promise.withResolvers<number>();
    return {
      exit: exit.promise,
      input: new WritableStream(),
      output: new ReadableStream({ start: (controller) => void exit.promise.then(() => controller.close()) }),
      resize: () => undefined,
      kill: () => {
        this.killed++;
        if (this.answers !== never) exit.resolve(143);
      },
    };
  }

  tellPort: (port: number, type: 'open' | 'close', url: string) => void = () => undefined;

  on(event: string, listener: typeof this.tellPort): void {
    if (event === 'port') this.tellPort = listener;
  }

  teardown(): void {
    this.isTornDown = true;
  }

  #in(path: string): FileSystemTree {
    let here = this.files;
    for (const name of path.split('/').filter(Boolean).slice(0, -1))
      here = (here[name] as DirectoryNode).directory;
    return here;
  }
}

/** What a host answers that is gone. */
const never = new Promise<never>(() => undefined);

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

let container: MemoryContainer;
let tree: LiveTree;
let failures: string[];
let lookFailures: number;
let ports: object[];
let machine: WebContainerMachine;
beforeEach(() => {
  container = new MemoryContainer();
  tree = new LiveTree();
  failures = [];
  ports = [];
  lookFailures = 0;
  const listener = {
    onFailure: ({ code }: { code: string }) => void failures.push(code),
    onChanged: () => void lookFailures++,
    onPort: (change: object) => void ports.push(change),
  };
  const boot = async () => container as unknown as WebContainer;
  machine = new WebContainerMachine({}, { tree, listener, boot });
});
afterEach(() => vi.useRealTimers());

function modeOf(path: string): number | undefined {
  const found = resolvePath(tree, path);
  const mode = typeof found === 'object' ? tree.stat(found.ino)?.mode : undefined;
  return mode === undefined ? undefined : mode & 0o7777;
}

async function startProcess(events: MachineProcessEvent[] = []) {
  const { processes } = await machine.running();
  return processes.start({ command: ['server'] }, (event) => void events.push(event));
}

test('B-6 renaming, moving and copying keep the modes that WebContainer does not know', async () => {
  const { files } = await machine.running();
  await files.makeDirectory({ path: '/bin' });
  await files.write({ path: '/bin/run.sh', bytes: new TextEncoder().encode('echo'), mode: 0o755 });
  await files.rename({ path: '/bin', to: '/programs' });
  await files.copy({ path: '/programs/run.sh', to: '/copied.sh' });
  await container.fs.rename('programs/run.sh', 'moved.sh'); // As `mv` of a program does.
  container.onChange();
  await machine.sync();
  expect(['/moved.sh', '/copied.sh', '/programs/run.sh', '/bin'].map(modeOf)).toEqual([
    0o755,
    0o755,
    undefined,
    undefined,
  ]);
  await machine[Symbol.asyncDispose]();
});

test('B-6 a program without a terminal reads its input from a file that no snapshot has, once that has ended', async () => {
  const events: MachineProcessEvent[] = [];
  const { processes } = await machine.running();
  const told = (event: MachineProcessEvent): void => void events.push(event);
  const process = await processes.start({ command: "sort -r 'my file'", stdin: true, cwd: '/a/b' }, told);
  await process.write(new TextEncoder().encode('one\n'));
  expect(container.spawns).toBe(0);
  await process.closeStdin();
  const [name = ''] = Object.keys(container.files);
  expect(container.files).toEqual({ [name]: { file: { contents: new TextEncoder().encode('one\n') } } });
  const script = String.raw`cat ../../${name} | sh -c 'sort -r '\''my file'\'''`;
  expect(container.spawned).toEqual(['jsh', '-c', script]);
  await machine.sync();
  expect(modeOf(`/${name}`)).toBeUndefined();
  await process.kill();
  await vi.waitFor(() => expect(events).toMatchObject([{ type: 'exit', reason: 'signalled' }]), {
    timeout: 120_000,
  });
  expect(container.files).toEqual({});
  await expect(process.write(Uint8Array.of(1))).rejects.toMatchObject({ code: 'not-found' });
  await machine[Symbol.asyncDispose]();
});

test('B-6 a program whose input never ends is ended, and one whose input is too much is refused more', async () => {
  const events: MachineProcessEvent[] = [];
  const { processes } = await machine.running();
  const told = (event: MachineProcessEvent): void => void events.push(event);
  const killed = await processes.start({ command: ['cat'], stdin: true }, told);
  const tooMuch = killed.write(new Uint8Array(webcontainerLimits.inputBytes + 1));
  await expect(tooMuch).rejects.toMatchObject({ code: 'limit-exceeded' });
  await killed.kill('SIGTERM');
  await processes.start({ command: ['cat'], stdin: true }, told);
  await machine[Symbol.asyncDispose]();
  expect(events).toMatchObject([
    { type: 'exit', signal: 'SIGTERM', reason: 'signalled' },
    { type: 'exit', reason: 'machine-failed' },
  ]);
  expect(container.spawns).toBe(0);
});

test('B-6 a port is told when a program listens on it and when it does no more, until the sandbox is closed', async () => {
  await machine.start();
  container.tellPort(3_000, 'open', 'https://3000.example');
  container.tellPort(3_000, 'close', 'https://3000.example');
  await machine[Symbol.asyncDispose]();
  container.tellPort(3_001, 'open', 'https://3001.example');
  const port = { port: 3_000, url: 'https://3000.example' };
  expect(ports).toEqual([
    { ...port, isOpen: true },
    { ...port, isOpen: false },
  ]);
});

test('B-6 H-5 a program that is being started when a checkout comes ends with it, before the files are others', async () => {
  const events: MachineProcessEvent[] = [];
  await machine.start();
  const spawning = Promise.withResolvers<void>();
  container.spawning = spawning.promise;
  const starting = startProcess(events);
  let killedBefore = 0;
  await vi.waitFor(() => expect(container.spawns).toBe(1), { timeout: 120_000 });
  const change = () => {
    killedBefore = container.killed;
  };
  const replacing = machine.replaceFiles(change, { obeys: true });
  spawning.resolve();
  await starting;
  await replacing;
  expect(killedBefore).toBe(1);
  await vi.waitFor(() => expect(events).toMatchObject([{ type: 'exit', reason: 'checkout', exitCode: -1 }]), {
    timeout: 120_000,
  });
  await machine[Symbol.asyncDispose]();
});

test('B-6 a host that does not answer any more fails the machine: processes end, checkouts and closing go on', async () => {
  const events: MachineProcessEvent[] = [];
  await startProcess(events);
  container.answers = never;
  vi.useFakeTimers();
  const soon = machine.sync({ timeoutMs: 1_000 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect([await soon, failures]).toEqual([false, []]);
  const snapshot = machine.sync({ mustAnswer: true });
  const refused = expect(snapshot).rejects.toMatchObject({ code: 'machine-failed' });
  await vi.advanceTimersByTimeAsync(webcontainerLimits.answerMs);
  await refused;
  expect(failures).toEqual(['machine-failed']);
  await vi.advanceTimersByTimeAsync(1);
  expect(events).toMatchObject([{ type: 'exit', reason: 'machine-failed' }]);
  await expect(machine.running()).rejects.toMatchObject({
    code: 'machine-failed',
    message: expect.stringContaining('reload the page'),
  });
  expect(await machine.sync({ mustAnswer: true })).toBe(false);
  let hasChanged = false;
  const change = () => {
    hasChanged = true;
  };
  const replacing = machine.replaceFiles(change, { obeys: false });
  await vi.advanceTimersByTimeAsync(1);
  await replacing;
  expect(hasChanged).toBe(true);
  const closing = machine[Symbol.asyncDispose]();
  await vi.advanceTimersByTimeAsync(1);
  await closing;
  expect(container.isTornDown).toBe(true);
});

test('B-6 one that closes while it boots does not wait for a host that is gone', async () => {
  vi.useFakeTimers();
  const listener = { onFailure: () => undefined, onChanged: () => undefined, onPort: () => undefined };
  const booting = new WebContainerMachine({}, { tree, listener, boot: () => never });
  const starting = booting.start({ signal: AbortSignal.abort() });
  await expect(starting).rejects.toMatchObject({ code: 'aborted' });
  const closing = booting[Symbol.asyncDispose]();
  await vi.advanceTimersByTimeAsync(webcontainerLimits.endMs);
  await closing;
});

test('B-6 a boot that fails is tried again by the next who needs the machine', async () => {
  let boots = 0;
  const boot = async () => {
    if (++boots === 1) throw new Error('not yet');
    return container as unknown as WebContainer;
  };
  const listener = { onFailure: () => undefined, onChanged: () => undefined, onPort: () => undefined };
  const late = new WebContainerMachine({}, { tree, listener, boot });
  await expect(late.start()).rejects.toThrow('not yet');
  await late.running();
  await late[Symbol.asyncDispose]();
});

test('B-6 files that could not be mounted again are not taken: the tree stays, and whoever captures hears why', async () => {
  const { files } = await machine.running();
  await files.write({ path: '/kept', bytes: Uint8Array.of(1), mode: 0o600 });
  const contents = new Uint8Array(webcontainerLimits.treeBytes);
  const more: FileSystemTree = { large: { file: { contents } }, small: { file: { contents: 'x' } } };
  expect(() => readBack(tree, more)).toThrow('Remove some');
  expect([modeOf('/kept'), modeOf('/small')]).toEqual([0o600, undefined]);
  container.export = async () => more;
  container.onChange();
  await vi.waitFor(() => expect(lookFailures).toBe(1), { timeout: 120_000 });
  await expect(machine.sync()).rejects.toMatchObject({ code: 'limit-exceeded' });
  await machine[Symbol.asyncDispose]();
});

test('B-6 large files are mounted by themselves, and many in parts', () => {
  const size = webcontainerLimits.mountBytes / 2 + 1;
  const add = (name: string, sizeBytes: number) => {
    const ino = tree.create(tree.root, name, { mode: 0o100644, uid: 0, gid: 0 });
    tree.write(ino, 0, new Uint8Array(sizeBytes));
  };
  add('a', size);
  add('b', size);
  add('c', webcontainerLimits.mountBytes + 1);
  const parts = [...mountsOf(tree)].map((mount) =>
    mount.type === 'file' ? `the file ${mount.path}` : Object.keys(mount.tree).join(),
  );
  expect(parts.filter((part) => part !== '').sort()).toEqual(['a', 'b', 'the file c']);
});

test('B-6 what a program writes is read back while it writes on and on', async () => {
  await machine.start();
  vi.useFakeTimers();
  for (let ms = 0; ms < 2 * webcontainerLimits.readBackMs; ms += 100) {
    container.onChange();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(container.exports).toBeGreaterThan(0);
  expect(container.exports).toBeLessThan(4);
  vi.useRealTimers();
  await machine[Symbol.asyncDispose]();
});

test('B-6 a start that is aborted, and a close, do not wait for a boot, which is torn down when it comes', async () => {
  const booting = Promise.withResolvers<WebContainer>();
  const listener = { onFailure: () => undefined, onChanged: () => undefined, onPort: () => undefined };
  const starting = new WebContainerMachine({}, { tree, listener, boot: () => booting.promise });
  const abort = new AbortController();
  const started = starting.start({ signal: abort.signal });
  abort.abort();
  await expect(started).rejects.toMatchObject({ code: 'aborted' });
  await starting[Symbol.asyncDispose]();
  expect(container.isTornDown).toBe(false);
  booting.resolve(container as unknown as WebContainer);
  await vi.waitFor(() => expect(container.isTornDown).toBe(true), { timeout: 120_000 });
});
