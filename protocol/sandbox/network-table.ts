import type { NetworkFlow, NetworkLog } from '../network-log.ts';
import { absentOr, closed, integer, list, number, record, type Schema, text, word } from '../schema.ts';
import type { NetworkFacet } from './network.ts';
import type { Table } from './row.ts';
import { noFields } from './schemas.ts';

const networkLog: Schema<NetworkLog> = record<NetworkLog>({
  flows: list(
    record<NetworkFlow>({
      id: number,
      type: word('connection', 'question'),
      startedAtMs: number,
      name: absentOr(text),
      address: absentOr(text),
      port: absentOr(number),
      verdict: word('allowed', 'denied', 'failed'),
      why: absentOr(text),
      sentBytes: absentOr(number),
      receivedBytes: absentOr(number),
      durationMs: absentOr(number),
    }),
  ),
  forgotten: number,
});

/** A port of TCP. */
const portNumber = integer(1, 65_535);

export const networkTable: Table<NetworkFacet> = {
  log: { access: 'read', ask: noFields, gives: 'json', answer: networkLog },
  connect: { access: 'run', ask: closed<{ port: number }>({ port: portNumber }), gives: 'stream' },
};
