import type { BridgeApp } from './service.ts';

/** The OpenAPI 3.1 document of every route that was mounted. */
export type ApiDocument = ReturnType<BridgeApp['getOpenAPI31Document']>;

const description = `Sandboxes on a Linux host: computers that can be rewound and branched.
Every request of /v1 carries a token: \`Authorization: Bearer <token>\`; a WebSocket may offer it as the
subprotocol \`coppice.token.<token>\` beside \`coppice.v1\`. Paths under /v1/jails are other names for those
under /v1/sandboxes. Requests under /git carry the token as \`X-Coppice-Token\`: their \`Authorization\` is for
the server of git.`;

/** Makes the document from the schemas that the routes check by. */
export function apiDocument(app: BridgeApp): ApiDocument {
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Coppice bridge', version: '1', description },
    // Where the document came from, under whatever name its reader has for the bridge.
    servers: [{ url: '/', description: 'The bridge that this document is from' }],
    security: [{ bearer: [] }],
  });
}
