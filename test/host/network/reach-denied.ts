// Run in a network namespace of its own (unshare --net), where all addresses of this table are this host's, with a
// root as argument: prints what a jail says of each, and what this process does, as JSON.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HostNetworks } from '../../../bridge-server/network/host-networks.ts';
import { TestJail } from '../jail/test-jail.ts';

const execute = promisify(execFile);
const port = 8_080;
const [root = '', list = '[]', allow = '[]'] = process.argv.slice(2);
const addresses = JSON.parse(list) as string[];

await using stack = new AsyncDisposableStack();
await execute('ip', ['link', 'set', 'lo', 'up']);
for (const address of addresses) await execute('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);
const server = stack.use(createServer((socket) => socket.end('here')).listen(port, '0.0.0.0'));
await once(server, 'listening');
const folder = await mkdtemp(join(tmpdir(), 'coppice-network-'));
stack.defer(() => rm(folder, { recursive: true }));
const networks = stack.use(await HostNetworks.open(join(folder, 'network'), { allow: JSON.parse(allow) }));
const { relay } = stack.use(networks.attach('box'));
const jail = stack.use(await TestJail.open(root, { network: relay }));

const results: Record<string, { fromHost: string; fromJail: string }> = {};
for (const address of addresses) {
  const program = `
import errno, socket
try: print(socket.create_connection(('${address}', ${port}), timeout=60).recv(9).decode())
except OSError as e: print(errno.errorcode[e.errno])`;
  const { output } = await jail.run({ command: ['python3', '-c', program] });
  results[address] = { fromHost: await ask(address), fromJail: output.trim() };
}
process.stdout.write(JSON.stringify({ results, log: networks.read('box') }));

async function ask(address: string): Promise<string> {
  const socket = connect(port, address);
  const [bytes] = await once(socket, 'data');
  return String(bytes);
}
