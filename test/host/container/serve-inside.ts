import { readFile } from 'node:fs/promises';
import { doctor } from '../../../bridge-server/main/doctor.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import type { Isolation } from '../../../protocol/sandbox/sandbox-info.ts';
import { connect } from '../../../sdk/connect.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import { makeTestFolder, runTestBridge } from '../open-test-host.ts';

/** What a bridge can do inside a container, as JSON. */
export interface Inside {
  readonly isolation: string;
  readonly why: string;
  readonly snapshots: string;
  readonly told: Isolation | undefined;
  readonly output: string;
  readonly terminal: string;
  readonly afterCheckout: string;
  readonly forked: string;
  /** Processes of this pid namespace when all is closed, dead ones included, but for those of Node's own. */
  readonly left: readonly string[];
  readonly doctor: readonly { readonly name: string; readonly state: string; readonly why: string }[];
  /** Why jails with namespaces are refused here when they are asked for. */
  readonly refusal: string;
}

/** Run as the first process of a container: serves sandboxes to a client in the same process, and prints `Inside`. */
async function serve(): Promise<Inside> {
  await using files = await makeTestFolder(undefined, { layer: 'own' });
  const used = await use(files.options);
  const refusal = await runTestBridge({ ...files.options, isolation: 'namespace' }).then(
    async (bridge) => {
      await bridge[Symbol.asyncDispose]();
      return 'none';
    },
    (error: unknown) => SandboxError.from(error).message,
  );
  return { ...used, refusal, left: await otherProcesses() };
}

async function use(options: Parameters<typeof runTestBridge>[0]): Promise<Omit<Inside, 'refusal' | 'left'>> {
  await using bridge = await runTestBridge(options);
  const { token } = bridge.host.tokens.create({ name: 'inside', scope: 'all' });
  await using backend = await connect({ url: bridge.url, token });
  const sandbox = await Sandbox.create({ backend });
  const { stdout: output } = await sandbox.run(
    'id -un; cat /dev/null; (setsid sleep 1000 &); echo kept > ~/note; pwd',
  );
  const before = await sandbox.createSnapshot({ label: 'before' });
  await sandbox.run('rm ~/note');
  const terminal = await inTerminal(sandbox, ['stty', 'size']);
  const [fork] = await sandbox.fork({ from: before.id });
  if (!(fork instanceof Sandbox)) throw fork ?? new Error('Nothing was forked');
  const { stdout: forked } = await fork.run('cat ~/note');
  await fork.close();
  await sandbox.checkout(before.id);
  const { stdout: afterCheckout } = await sandbox.run('cat ~/note');
  const { isolation: told } = await (await backend.connect({ id: sandbox.id })).info.get();
  await sandbox.close();
  const { isolation, snapshots } = bridge.host;
  const rows = await doctor({ ...options, chosen: isolation });
  return { ...isolation, snapshots, told, output, terminal, afterCheckout, forked, doctor: rows };
}

async function inTerminal(sandbox: Sandbox, command: readonly string[]): Promise<string> {
  let shown = '';
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  await sandbox.pty.create({
    command,
    columns: 80,
    rows: 24,
    onExit: resolve,
    onData: (bytes) => {
      shown += Buffer.from(bytes).toString();
    },
  });
  await ended;
  return shown;
}

async function otherProcesses(): Promise<string[]> {
  const text = await readFile('/proc/self/task/1/children', 'utf8');
  return text.split(' ').filter(Boolean);
}

process.stdout.write(JSON.stringify(await serve()));
