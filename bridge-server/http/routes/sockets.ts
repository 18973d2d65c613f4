import { z } from '@hono/zod-openapi';
import { SandboxError } from '../../../protocol/errors.ts';
import type { Mount } from '../mount.ts';
import { failed, idSchema, portSchema } from '../schemas.ts';
import { terminalQuery } from '../terminal-query.ts';

const upgraded = { 101: { description: 'The socket is open.' }, ...failed };

/** The WebSockets, for the document; upgrades never come here, and what is none is told so. */
export function socketRoutes(mount: Mount): void {
  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/terminal',
      operationId: 'openTerminal',
      needs: 'processes.exec',
      summary: 'WebSocket: a terminal. Binary messages are its bytes, text messages are JSON.',
      tags: ['commands'],
      request: { params: z.object({ id: idSchema }), query: terminalQuery },
      responses: upgraded,
    },
    refuse,
  );

  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/ports/{port}',
      operationId: 'connectToPort',
      needs: 'network.connect',
      summary:
        'WebSocket: a connection to a port. Binary messages are its bytes, {"type":"end"} ends a direction.',
      tags: ['commands'],
      request: { params: z.object({ id: idSchema, port: portSchema }) },
      responses: upgraded,
    },
    refuse,
  );

  mount(
    {
      method: 'get',
      path: '/v1/connect',
      operationId: 'connect',
      needs: 'nothing',
      summary: 'WebSocket: the wire protocol of Coppice, subprotocol coppice.v1.',
      tags: ['service'],
      responses: upgraded,
    },
    refuse,
  );
}

function refuse(): never {
  throw new SandboxError('invalid-argument', 'Cannot answer this request: it is to be a WebSocket');
}
