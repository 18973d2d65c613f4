import type { Meter } from '@opentelemetry/api';
import { type ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterEach, expect, test } from 'vitest';
import { Sandbox } from '../cli/index.ts';
import { setTelemetry } from './telemetry.ts';

afterEach(() => setTelemetry(undefined));

/** The tracing SDK, which keeps the spans that have ended, and a meter that keeps what it is told. */
function openTelemetry() {
  const spans: ReadableSpan[] = [];
  const provider = new TracerProvider({
    spanProcessors: [
      {
        onStart: () => undefined,
        onEnd: (span) => void spans.push(span),
        forceFlush: async () => undefined,
        shutdown: async () => undefined,
      },
    ],
  });
  const measured: { name: string; value: number; outcome: unknown }[] = [];
  const note = (name: string) => (value: number, attributes?: Readonly<Record<string, unknown>>) =>
    void measured.push({ name, value, outcome: attributes?.['coppice.command.outcome'] });
  const meter = {
    createCounter: (name: string) => ({ add: note(name) }),
    createHistogram: (name: string) => ({ record: note(name) }),
  } as unknown as Meter;
  return { spans, measured, meter, tracer: provider.getTracer('test') };
}

test('S-11 a command is a span of a tool, and is counted and measured', async () => {
  const { spans, measured, tracer, meter } = openTelemetry();
  setTelemetry({ tracer, meter });
  await using sandbox = await Sandbox.create({
    hooks: {
      onCommand: ({ command }) => {
        if (command === 'refuse') throw new Error('no');
      },
    },
  });
  await sandbox.run('exit 3');
  await sandbox.run('sleep 60', { timeoutMs: 20 });
  await expect(sandbox.run('refuse')).rejects.toThrow();
  const common = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'run',
    'gen_ai.tool.type': 'function',
    'coppice.sandbox.id': sandbox.id,
    'coppice.sandbox.runtime': 'shell',
  };
  expect(spans.map(({ name, attributes, status }) => ({ name, attributes, status: status.code }))).toEqual([
    {
      name: 'execute_tool run',
      status: 0,
      attributes: { ...common, 'process.exit.code': 3, 'coppice.command.outcome': 'exited' },
    },
    {
      name: 'execute_tool run',
      status: 2,
      attributes: {
        ...common,
        'process.exit.code': 137,
        'coppice.command.outcome': 'timeout',
        'error.type': 'timeout',
      },
    },
    { name: 'execute_tool run', status: 2, attributes: { ...common, 'error.type': 'forbidden' } },
  ]);
  const outcomes = ['exited', 'timeout', 'forbidden'];
  expect(measured).toEqual(
    outcomes.flatMap((outcome) => [
      { name: 'coppice.commands', value: 1, outcome },
      { name: 'coppice.command.duration', value: expect.any(Number), outcome },
    ]),
  );
  const seconds = measured[3]?.value ?? 0;
  expect(seconds > 0.019 && seconds < 30).toBe(true);
});

test('S-11 commands are in spans only where that is asked for', async () => {
  const { spans, tracer } = openTelemetry();
  await using sandbox = await Sandbox.create();
  for (const hasContent of [false, true]) {
    setTelemetry({ tracer, hasContent });
    await sandbox.run('echo secret');
  }
  const texts = spans.map(({ attributes }) => attributes['gen_ai.tool.call.arguments']);
  expect(texts).toEqual([undefined, '{"command":"echo secret"}']);
});
