// A bridge on what `makeTestFolder` has made, until it is killed: node serve-folder.ts <options as JSON>
// Says where it is and the token for it, as JSON.
import type { HostOptions } from '../../bridge-server/main/open-host.ts';
import { runBridge } from '../../bridge-server/main/run-bridge.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as HostOptions;
const { url, host } = await runBridge({
  ...options,
  host: '127.0.0.1',
  port: 0,
  allowedOrigins: [],
  allowedHosts: [],
  doctor: async () => [],
  log: { write: () => undefined },
});
const { token } = host.tokens.create({ name: 'test', scope: 'all' });
console.log(JSON.stringify({ url, token }));
