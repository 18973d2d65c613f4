// A bridge in a process of its own, over sandboxes in memory that take what is written to them, more or less slowly.
// Prints its address and ends with its standard input.
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { startBridge } from '../../bridge-server/http/bridge.ts';
import { endOnUncaught } from '../../bridge-server/main/end-on-uncaught.ts';
import { serveSockets } from '../../bridge-server/main/serve-sockets.ts';
import { WireSessions } from '../../protocol/wire/server/wire-sessions.ts';
import { ScriptedBackend } from '../http/scripted-backend.ts';
import { openTestTokens } from '../http/test-tokens.ts';

endOnUncaught();
const backend = new ScriptedBackend();
backend.onOpen = (sandbox) => {
  sandbox.onExec = async (process) => {
    // They would all be remembered.
    sandbox.runs.length = 0;
    let pieces = 0;
    process.write = async () => {
      pieces++;
      if (pieces % 3 === 0) await setImmediate();
      if (pieces % 16 === 0) await sleep(1);
    };
    // An archive that was refused is given up: its process ends as tar does.
    process.closeStdin = () => process.end();
  };
};
const plenty = { perSecond: 1_000_000, burst: 1_000_000 };
const bridge = await startBridge({
  backend,
  tokens: await openTestTokens([backend.add('first'), backend.add('second')]),
  host: '127.0.0.1',
  port: 0,
  allowedOrigins: [],
  allowedHosts: [],
  doctor: async () => [],
  onSocket: serveSockets(new WireSessions()),
  rates: { address: plenty, token: plenty, refused: plenty },
});
console.log(bridge.url);
process.stdin.on('end', () => void bridge[Symbol.asyncDispose]().then(() => process.exit(0))).resume();
