// `npm run bridge`: sandboxes of this host, served over HTTP and WebSocket. Prints the URL, and a token.
import { runBridgeCommand } from '../cli/bridge/start-bridge.ts';

await runBridgeCommand(process.argv.slice(2), { command: 'npm run bridge --', environment: process.env });
