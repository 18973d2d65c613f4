import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { inRepository } from '../../host/repository.ts';

/** Loads all of a bridge, opens its tracer, and prints which packages of the tracing SDK that has loaded. */
const program = `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    load(url, context, next) {
      const name = /@opentelemetry\\/([^/]+)/.exec(url)?.[1];
      // The interface without anything behind it is what the library of metrics loads.
      if (name !== undefined && name !== 'api') loaded.add(name);
      return next(url, context);
    },
  });
  await import('./bridge-server/main/run-bridge.ts');
  const { openTracer } = await import('./bridge-server/observe/open-tracer.ts');
  await using tracer = await openTracer({ onTrouble: () => {} });
  console.log(JSON.stringify([tracer.target ?? null, loaded.has('sdk-trace'), loaded.size === 0]));
`;

async function load(environment: Record<string, string>): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: inRepository(),
    env: { PATH: process.env.PATH, ...environment },
  });
  return JSON.parse(stdout);
}

test('C-3 a bridge that is not told where traces go loads nothing for them', async () => {
  expect(await load({})).toEqual([null, false, true]);
  const where = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  expect(await load(where)).toEqual(['http://127.0.0.1:4318/v1/traces', true, false]);
});
