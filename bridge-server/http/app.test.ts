import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { ScriptedBackend } from '../../test/http/scripted-backend.ts';
import { openTestTokens, testTokens } from '../../test/http/test-tokens.ts';
import { noTracer } from '../observe/no-tracer.ts';
import { OpenSandboxes } from '../open-sandboxes.ts';
import { Admission } from './admission.ts';
import { makeApp } from './app.ts';
import { ByteBudget } from './byte-budget.ts';
import { CommandOperations } from './command-operations.ts';
import { GitProxy } from './git/git-proxy.ts';
import { LiveTokens } from './live-tokens.ts';
import { makeLog } from './log.ts';
import { Metrics } from './metrics.ts';
import { apiDocument } from './openapi-document.ts';

const backend = new ScriptedBackend();
const tokens = await openTestTokens([backend.add('first'), backend.add('second')]);
const app = makeApp(
  {
    backend,
    sandboxes: new OpenSandboxes(backend),
    tokens,
    liveTokens: new LiveTokens(tokens, { recheckMs: limits.tokenRecheckMs, onFailure: () => {} }),
    mcp: {
      messageBytes: 0,
      answer: async () => new Response(),
      [Symbol.asyncDispose]: async () => undefined,
    },
    git: new GitProxy({ hosts: [] }),
    metrics: new Metrics(() => 0),
    tracer: noTracer,
    log: makeLog({ write: () => {} }),
    doctor: async () => [],
    ready: async () => [],
    operations: new CommandOperations(() => 0),
    commandBeatMs: limits.heartbeatMs,
    mcpAnswers: new ByteBudget({ mostBytes: 0, mostBytesOfAccount: 0, name: 'answers', refusal: 'Cannot' }),
    uploads: new ByteBudget({ mostBytes: 0, mostBytesOfAccount: 0, name: 'uploads', refusal: 'Cannot' }),
    stopping: new AbortController().signal,
  },
  { admission: new Admission(tokens, { rates: limits.requestRates }), allowedOrigins: [] },
);
const document = apiDocument(app);
const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, { operationId: string; summary: string }>).map(
    ([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      ...operation,
    }),
  ),
);

test('C-3 every route is in the document, and everything in the document is a route', () => {
  const routes = app.routes.filter(({ method }) => method !== 'ALL');
  const served = routes.map(
    ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(?:\{\.\+\})?/g, '{$1}')}`,
  );
  const told = operations.map(({ method, path }) => `${method} ${path}`);
  // A route with checks is there once for each of them.
  expect([...new Set(served)].sort()).toEqual(told.sort());
});

test('S-6 every upload of files takes from the memory for uploads', async () => {
  const headers = { authorization: `Bearer ${testTokens.all}`, 'content-type': 'application/x-tar' };
  const paths = ['files?path=/a', 'archive?path=/a', 'restore'];
  const answers = paths.map(async (path) => {
    const body = Readable.from([new Uint8Array(512)]);
    const env = { incoming: Object.assign(body, { headers, socket: {} }), outgoing: new EventEmitter() };
    const init = { method: 'PUT', headers };
    const answer = await app.request(`/v1/sandboxes/box-1/${path}`, init, env);
    return [answer.status, (await answer.json()).error.code];
  });
  expect(await Promise.all(answers)).toEqual(paths.map(() => [409, 'busy']));
});

test('C-3 every operation has an id of its own and says in a sentence what it does', () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(ids).toEqual([...new Set(ids)]);
  expect(operations.filter(({ summary }) => !/^[A-Z].*\.$/.test(summary))).toEqual([]);
});

test('C-3 every shape that the document refers to is in it', () => {
  const named = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name,
  );
  const known = Object.keys(document.components?.schemas ?? {});
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => name !== undefined && !known.includes(name))).toEqual([]);
});

test('C-3 the reference has every route with what the document says of it', () => {
  const file = join(import.meta.dirname, '..', '..', 'docs', 'reference', 'bridge-api.md');
  const rows = readFileSync(file, 'utf8').match(/^\| `(GET|POST|PUT|DELETE) .*$/gm) ?? [];
  const own = operations.filter(({ path }) => !path.startsWith('/v1/jails'));
  expect(rows).toEqual(own.map(({ method, path, summary }) => `| \`${method} ${path}\` | ${summary} |`));
});
