// A bridge on what `makeTestFolder` has made, until it is killed: node serve-folder.ts <options as JSON>
// Says where it is and the token for it, as JSON.
import type { HostOptions } from '../../bridge-server/main/open-host.ts';
import { runTestBridge } from './open-test-host.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as HostOptions;
const { url, host } = await runTestBridge(options);
const { token } = host.tokens.create({ name: 'test', scope: 'all' });
console.log(JSON.stringify({ url, token }));
