import { WebSocket } from 'ws';
import { portPairs, socketPairs } from '../fixtures/wire-transports.ts';
import { transportSuite } from './transport-suite.ts';
import { wireStreamsSuite } from './wire-streams-suite.ts';
import { wireSuite } from './wire-suite.ts';

const kinds = [
  ['MessagePort', async () => portPairs()],
  ['WebSocket of ws', () => socketPairs('ws', WebSocket)],
  ['WebSocket of Node', () => socketPairs('global', globalThis.WebSocket)],
] as const;

for (const [name, open] of kinds) transportSuite(name, open);
for (const [name, open] of kinds.slice(0, 2)) wireSuite(name, open);
for (const [name, open] of kinds.slice(0, 2)) wireStreamsSuite(name, open);
