import { WebSocket } from 'ws';
import { portPairs, socketPairs, streamPairs } from '../fixtures/wire-transports.ts';
import { transportSuite } from './transport-suite.ts';
import { wireStreamsSuite } from './wire-streams-suite.ts';
import { wireSuite } from './wire-suite.ts';

const kinds = [
  ['MessagePort', async () => portPairs()],
  ['Unix socket', streamPairs],
  ['WebSocket of ws', () => socketPairs('ws', WebSocket)],
  ['WebSocket of Node', () => socketPairs('global', globalThis.WebSocket)],
] as const;

for (const [name, open] of kinds) transportSuite(name, open);
for (const [name, open] of kinds.slice(0, 3)) wireSuite(name, open);
for (const [name, open] of kinds.slice(0, 3)) wireStreamsSuite(name, open);
