// A bridge on what `makeTestFolder` has made, until it is killed or handed over: node serve-folder.ts <options as JSON>
// Says where it is, the token for it, in which sandboxes jails of the one before it go on, and why others do not, as JSON.
import { enterIdRange } from '../../bridge-server/main/id-range.ts';
import type { HostOptions } from '../../bridge-server/main/open-host.ts';
import { runTestBridge } from './open-test-host.ts';

await enterIdRange();
const options = JSON.parse(process.argv[2] ?? '{}') as HostOptions;
const lost: string[] = [];
const bridge = await runTestBridge({ ...options, onJailLost: (_, why) => void lost.push(why.message) });
process.once('SIGUSR2', () => void bridge.handOver().then(() => process.exit(0)));
process.once('SIGTERM', () => void bridge[Symbol.asyncDispose]().then(() => process.exit(0)));
const { token } = bridge.host.tokens.create({ name: 'test', scope: 'all' });
console.log(JSON.stringify({ url: bridge.url, token, lost, running: bridge.host.running }));
