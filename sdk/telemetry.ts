import type { Counter, Histogram, Meter, Span, Tracer } from '@opentelemetry/api';
import type { SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';
import type { CommandResult } from './commands.ts';

/** Where spans and metrics of commands go; what is absent is not made. */
export interface Telemetry {
  readonly tracer?: Tracer;
  readonly meter?: Meter;
  /** Put commands into spans, which may contain secrets; not by default. */
  readonly hasContent?: boolean;
}

interface Instruments {
  readonly count: Counter | undefined;
  readonly duration: Histogram | undefined;
}

let telemetry: Telemetry | undefined;
let instruments: Instruments | undefined;

/**
 * Sends a span `execute_tool` and metrics of every command of every sandbox to OpenTelemetry, or nothing any more:
 * `setTelemetry({ tracer: trace.getTracer('coppice'), meter: metrics.getMeter('coppice') })`.
 */
export function setTelemetry(to: Telemetry | undefined): void {
  telemetry = to;
  instruments = undefined;
}

export function hasTelemetry(): boolean {
  return telemetry !== undefined;
}

/** The span of one command: it ends by one of the two. */
export interface CommandSpan {
  end(result: CommandResult): void;
  fail(code: string): void;
}

/**
 * Names of OpenTelemetry's semantic conventions for generative AI (a span of kind `execute_tool`), which are in
 * development, and for processes.
 */
export function startCommandSpan(
  { id, runtime }: SandboxInfo,
  command: string | readonly string[],
): CommandSpan | undefined {
  if (!telemetry) return undefined;
  const { tracer, meter, hasContent = false } = telemetry;
  instruments ??= makeInstruments(meter);
  const { count, duration } = instruments;
  const startedMs = performance.now();
  const span: Span | undefined = tracer?.startSpan('execute_tool run', {
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'run',
      'gen_ai.tool.type': 'function',
      'coppice.sandbox.id': id,
      'coppice.sandbox.runtime': runtime,
      ...(hasContent ? { 'gen_ai.tool.call.arguments': JSON.stringify({ command }) } : {}),
    },
  });
  const measure = (outcome: string) => {
    const attributes = { 'coppice.sandbox.runtime': runtime, 'coppice.command.outcome': outcome };
    count?.add(1, attributes);
    duration?.record((performance.now() - startedMs) / 1_000, attributes);
  };
  return {
    end: ({ exitCode, reason }) => {
      span?.setAttributes({ 'process.exit.code': exitCode, 'coppice.command.outcome': reason });
      // 2 is ERROR of SpanStatusCode. A program that exits with another code than 0 has done its work.
      if (reason !== 'exited')
        span?.setAttribute('error.type', reason).setStatus({ code: 2, message: reason });
      span?.end();
      measure(reason);
    },
    fail: (code) => {
      span?.setAttribute('error.type', code).setStatus({ code: 2, message: code });
      span?.end();
      measure(code);
    },
  };
}

function makeInstruments(meter: Meter | undefined): Instruments {
  return {
    count: meter?.createCounter('coppice.commands', {
      unit: '{command}',
      description: 'Commands that have ended.',
    }),
    duration: meter?.createHistogram('coppice.command.duration', {
      unit: 's',
      description: 'How long commands took, from their start to the end of their output.',
    }),
  };
}
