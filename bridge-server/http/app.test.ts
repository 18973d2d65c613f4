import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { limits } from '../../protocol/limits.ts';
import { ScriptedBackend } from '../../test/http/scripted-backend.ts';
import { openTestTokens } from '../../test/http/test-tokens.ts';
import { noTracer } from '../observe/no-tracer.ts';
import { OpenSandboxes } from '../open-sandboxes.ts';
import { Admission } from './admission.ts';
import { makeApp } from './app.ts';
import { GitProxy } from './git/git-proxy.ts';
import { LiveTokens } from './live-tokens.ts';
import { makeLog } from './log.ts';
import { Metrics } from './metrics.ts';
import { apiDocument } from './openapi-document.ts';
import { UploadBudget } from './upload-budget.ts';

const backend = new ScriptedBackend();
const tokens = await openTestTokens([backend.add('first'), backend.add('second')]);
const app = makeApp(
  {
    backend,
    sandboxes: new OpenSandboxes(backend),
    tokens,
    liveTokens: new LiveTokens(tokens, { recheckMs: limits.tokenRecheckMs, onFailure: () => {} }),
    git: new GitProxy({ hosts: [] }),
    metrics: new Metrics(() => 0),
    tracer: noTracer,
    log: makeLog({ write: () => {} }),
    doctor: async () => [],
    uploads: new UploadBudget({ mostBytes: 0, mostBytesOfAccount: 0 }),
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
