import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestBridge, type TestBridge } from '../../test/http/test-bridge.ts';

/** As far as this test reads the document. */
type Schema = Readonly<Record<string, unknown>>;
type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;
interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** What refuses a request that is as it should be, in a bridge of scripted sandboxes, and why. */
const refused: Readonly<Record<string, number>> = {
  openTerminal: 400, // No upgrade.
  connectToPort: 400, // Likewise.
  connect: 400,
  renewToken: 403, // The token of this test may not be renewed.
  gitRefs: 501, // No server of git is listed.
  gitFetch: 501,
  gitPush: 501,
  deleteSnapshot: 400, // HEAD stays.
  // Scripted sandboxes cannot.
  merge: 501,
  prune: 501,
  setRetention: 501,
  deleteRetention: 501,
  restoreArchive: 501,
};

const binaries = [
  'application/octet-stream',
  'application/x-tar',
  'application/x-asciicast',
  'application/gzip',
];
const base = 'https://document.invalid/openapi.json';

let there: TestBridge;
let document: { readonly paths: Record<string, Record<string, Operation>> } & Schema;
const ajv = new Ajv2020({ strict: false, allErrors: true, unicodeRegExp: true });
addFormats.default(ajv);

beforeAll(async () => {
  there = await openTestBridge();
  document = await (await fetch(`${there.bridge.url}/openapi.json`)).json();
  ajv.addSchema(document, base);
  there.backend.onOpen = (sandbox) => {
    sandbox.onExec = async (process) => {
      await process.say('hello\n');
      await process.end();
    };
  };
});
afterAll(() => there[Symbol.asyncDispose]());

interface DocumentedOperation extends Operation {
  readonly path: string;
  readonly method: string;
}

/** What changes nothing first, and what takes away last. */
const order = ['get', 'post', 'put', 'delete'];

function operations(): DocumentedOperation[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
  );
  const rank = ({ method, operationId }: DocumentedOperation) =>
    order.indexOf(method) + (/^deleteSandbox/.test(operationId) ? 1 : 0);
  return all.sort((a, b) => rank(a) - rank(b));
}

/** A schema of the document, with its references into it. */
function validatorOf(schema: Schema): ValidateFunction {
  return ajv.compile(
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', `"${base}#/components/`)),
  );
}

function complaints(schema: Schema | undefined, value: unknown): string[] {
  if (schema === undefined) return ['it has no schema'];
  const validate = validatorOf(schema);
  return validate(value) ? [] : [ajv.errorsText(validate.errors)];
}

function everySchema(at: unknown, where = ''): { where: string; schema: Schema }[] {
  if (typeof at !== 'object' || at === null) return [];
  const inside = Object.entries(at).flatMap(([key, value]) => everySchema(value, `${where}/${key}`));
  return [{ where, schema: at as Schema }, ...inside];
}

describe('C-3 the document', () => {
  test('says where the bridge is', () => {
    expect(document.servers).toEqual([{ url: '/', description: 'The bridge that this document is from' }]);
  });

  test('declares for every operation what a client can do wrong', () => {
    const declared = new Map(operations().map((each) => [each.operationId, Object.keys(each.responses)]));
    for (const [name, statuses] of declared)
      expect([name, statuses]).toEqual([name, expect.arrayContaining(['429'])]);
    expect(declared.get('runCommand')).toEqual(
      expect.arrayContaining(['200', '202', '400', '401', '403', '404', '409', '413', '429']),
    );
    expect(declared.get('health')).not.toContain('401');
  });

  test('has patterns that match what they are to match', () => {
    const withPattern = everySchema(document).filter(({ schema }) => typeof schema.pattern === 'string');
    expect(withPattern.length).toBeGreaterThan(20);
    // An expression of JavaScript with its flags.
    const bad = withPattern.filter(({ schema }) => /\$\/[a-z]*$/.test(String(schema.pattern)));
    expect(bad).toEqual([]);
    const name = ajv.getSchema(
      `${base}#/paths/~1v1~1tokens/post/requestBody/content/application~1json/schema`,
    );
    expect(name?.({ name: 'ein Häkchen', scope: 'all', access: 'read' })).toBe(true);
    expect(name?.({ name: 'two\nlines', scope: 'all', access: 'read' })).toBe(false);
    expect(name?.({ name: 'x', scope: 'all', access: 'read', ttl: 1 })).toBe(false);
  });

  test('has examples that are as their schemas say, of every JSON body that is sent and every parameter of a path', () => {
    const wrong: string[] = [];
    for (const { operationId, requestBody, parameters = [] } of operations()) {
      const json = requestBody?.content['application/json'];
      if (json) wrong.push(...complaints(json.schema, json.example).map((why) => `${operationId}: ${why}`));
      for (const { name, schema } of parameters.filter((parameter) => parameter.in === 'path')) {
        const isGit = operationId.startsWith('git');
        if (!isGit && !('example' in schema)) wrong.push(`${operationId}: no example of ${name}`);
      }
    }
    for (const { where, schema } of everySchema(document)) {
      if (!('example' in schema) || 'schema' in schema || where.endsWith('/properties')) continue;
      wrong.push(...complaints(schema, schema.example).map((why) => `${where}: ${why}`));
    }
    expect(wrong).toEqual([]);
  });
});

describe('C-3 an exchange of every route', () => {
  const parameters: Record<string, string> = {
    id: 'box-1',
    port: '8080',
    tag: 'v1',
    shell: '0123456789abcdef',
    host: 'git.example.org',
    path: 'a/b.git',
  };

  /** What a client that has read the document sends. */
  async function send(operation: DocumentedOperation): Promise<Response> {
    const { path, method, operationId, requestBody } = operation;
    const [root] = (await there.backend.sandbox('box-1').history.get()).snapshots;
    const own: Record<string, string> = { ...parameters };
    own.snapshot = path.startsWith('/v1/snapshots/') ? String(root?.id) : 'HEAD';
    if (operationId === 'revokeToken') {
      const json = { name: 'short', scope: 'all', access: 'read' };
      own.token = (await (await there.request('/v1/tokens', { method: 'POST', json })).json()).id;
    }
    if (/^(get|end)Command/.test(operationId)) {
      const headers = { prefer: 'respond-async' };
      const url = `/v1/sandboxes/${own.id}/commands`;
      const begun = await there.request(url, { method: 'POST', headers, json: { command: 'true' } });
      own.command = (await begun.json()).id;
    }
    const asked = (operation.parameters ?? []).filter((each) => each.in === 'query' && each.required);
    const query = asked.map(({ name, schema }) => {
      const choices = schema.enum as readonly string[] | undefined;
      return `${name}=${encodeURIComponent(String(schema.example ?? choices?.[0]))}`;
    });
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => own[name] ?? `no-${name}`);
    const json = requestBody?.content['application/json']?.example;
    const isBytes = requestBody !== undefined && json === undefined;
    return there.request(`${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`, {
      method: method.toUpperCase(),
      headers: path.startsWith('/git/') ? { 'x-coppice-token': 'token-of-all' } : {},
      ...(json === undefined ? {} : { json }),
      ...(isBytes ? { body: 'bytes' } : {}),
    });
  }

  async function check(operation: DocumentedOperation): Promise<string[]> {
    const { operationId, responses } = operation;
    const answer = await send(operation);
    const plainId = operationId.replace(/OfJail$/, '');
    const expected =
      refused[plainId] ?? Number(Object.keys(responses).find((status) => status.startsWith('2')));
    const found = answer.status === expected ? [] : [`it answers ${answer.status}, not ${expected}`];
    const content = (responses[answer.status] ?? responses.default)?.content;
    const type = answer.headers.get('content-type')?.split(';')[0];
    if (answer.status === 204) return [...found, ...((await answer.text()) === '' ? [] : ['it has a body'])];
    const told = type === undefined ? undefined : content?.[type];
    if (!told) return [...found, `it answers ${type}, which is not in the document`];
    if (type === 'text/event-stream') {
      await answer.body?.cancel();
      return found;
    }
    const isBytes = type !== undefined && binaries.includes(type);
    const body = type === 'application/json' ? await answer.json() : isBytes ? '' : await answer.text();
    if (isBytes) await answer.body?.cancel();
    return [...found, ...complaints(told.schema, body)];
  }

  test('is as the document says', async () => {
    await there.request('/v1/sandboxes/box-1/start', { method: 'POST' });
    const wrong: string[] = [];
    // The same sandbox is deleted under both names: the second time it has to be there again.
    for (const operation of operations()) {
      if (operation.operationId === 'deleteSandboxOfJail') parameters.id = 'box-2';
      const found = await check(operation);
      wrong.push(...found.map((why) => `${operation.operationId}: ${why}`));
    }
    expect(wrong).toEqual([]);
  });
});
