import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Span as ApiSpan,
  type Tracer as ApiTracer,
  type Attributes,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { type ErrorCode, errorTable, SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { HostWork, Span, SpanFacts, Tracer } from '../trace-contract.ts';
import { readSampler } from './read-sampler.ts';
import { ReportingExporter } from './reporting-exporter.ts';
import { shownAddress, type TraceSettings } from './trace-settings.ts';

/** The only names that attributes have. */
const attributeOf = {
  sandbox: 'coppice.sandbox.id',
  requestId: 'coppice.request.id',
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
} as const satisfies Record<keyof SpanFacts, string>;

export interface TracerOptions {
  /** Told why the collector takes nothing: once, until it has taken something again. */
  readonly onTrouble: (why: string) => void;
  /** `limits.tracesFlushTimeoutMs` by default. */
  readonly flushTimeoutMs?: number;
}

/** Sends spans by OTLP over HTTP. Knows its parents by itself: it registers nothing that others could see. */
export class OtlpTracer implements Tracer {
  readonly target: string;
  readonly #tracer: ApiTracer;
  readonly #close: () => Promise<void>;
  readonly #current = new AsyncLocalStorage<ApiSpan>();
  #disposed: Promise<void> | undefined;

  private constructor(tracer: ApiTracer, options: { target: string; close: () => Promise<void> }) {
    this.#tracer = tracer;
    this.target = options.target;
    this.#close = options.close;
  }

  /** @throws invalid-argument for a sampler that is none */
  static async open(
    settings: TraceSettings,
    { onTrouble, flushTimeoutMs = limits.tracesFlushTimeoutMs }: TracerOptions,
  ): Promise<OtlpTracer> {
    const sampler = readSampler(process.env);
    const exporter = new ReportingExporter(await openExporter(settings), onTrouble);
    const processor = new BatchSpanProcessor({
      exporter,
      maxQueueSize: limits.tracesQueuedSpans,
      maxExportBatchSize: limits.tracesBatchSpans,
      scheduledDelayMillis: limits.tracesDelayMs,
      exportTimeoutMillis: limits.tracesExportTimeoutMs,
    });
    // What the environment says comes last, and counts.
    const resource = defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'coppice-bridge' }))
      .merge(detectResources({ detectors: [envDetector] }));
    const provider = new TracerProvider({ sampler, resource, spanProcessors: [processor] });
    const close = async () => {
      if (!(await isOver(provider.shutdown(), flushTimeoutMs)))
        exporter.tell('it did not take the last ones in time');
    };
    return new OtlpTracer(provider.getTracer('coppice'), { target: shownAddress(settings.url), close });
  }

  receive(name: string, traceparent?: string): Span {
    // Its `tracestate` is left: that would be text of a client's in what we send.
    const parent = traceparent === undefined ? null : parseTraceParent(traceparent);
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER }, context);
    return {
      traceId: span.spanContext().traceId,
      run: (work) => this.#current.run(span, work),
      fail: (code) => markFailed(span, code),
      end: ({ name: last, ...facts } = {}) => {
        if (last !== undefined) span.updateName(last);
        span.setAttributes(attributesOf(facts)).end();
      },
    };
  }

  async during<T>(name: HostWork, facts: SpanFacts, work: () => Promise<T>): Promise<T> {
    const parent = this.#current.getStore();
    const context = parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    const span = this.#tracer.startSpan(name, { attributes: attributesOf(facts) }, context);
    try {
      return await this.#current.run(span, work);
    } catch (cause) {
      markFailed(span, SandboxError.from(cause).code);
      throw cause;
    } finally {
      span.end();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= this.#close();
    return this.#disposed;
  }
}

/** By what the settings name: each of them is loaded for nobody else. */
async function openExporter({ url, encoding }: TraceSettings): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    encoding === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter({ url });
}

/** The message of an error may quote a sandbox: only its code is told. What a client did wrong is no error of ours. */
function markFailed(span: ApiSpan, code: ErrorCode): void {
  span.setAttribute('error.type', code);
  if (errorTable[code].status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

function attributesOf(facts: SpanFacts): Attributes {
  const told = Object.entries(attributeOf).map(([fact, name]) => [name, facts[fact as keyof SpanFacts]]);
  return Object.fromEntries(told.filter(([, value]) => value !== undefined));
}

/** Whether `work` ends in time: a collector that does not answer keeps nobody from stopping. */
async function isOver(work: Promise<void>, timeoutMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), timeoutMs);
  // What failed has been told by then.
  const ended = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
