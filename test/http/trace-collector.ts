import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = { readonly stringValue?: string; readonly intValue?: number | string };

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly status: { readonly code: number };
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** A span that has come, with what tests look at. */
export interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for none. */
  readonly parent: string;
  readonly isServer: boolean;
  readonly hasFailed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly service: unknown;
}

/** A stand-in for a collector of OpenTelemetry: takes OTLP as JSON on the loopback. */
export interface TraceCollector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly SentSpan[];
  /** Every body, as it came. */
  readonly bodies: readonly string[];
  /** The headers of the last request. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Requests that have come whole, whose sender still waits for an answer. */
  readonly waiting: number;
  /** What requests are answered with from now on; `undefined` for nothing at all. */
  status: number | undefined;
}

export async function openTraceCollector(): Promise<TraceCollector> {
  const [bodies, spans]: [string[], SentSpan[]] = [[], []];
  const waiting = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString();
    collector.headers = request.headers;
    bodies.push(body);
    if (collector.status === 200) spans.push(...spansOf(JSON.parse(body)));
    waiting.add(response);
    response.once('close', () => waiting.delete(response));
    if (collector.status === undefined) return;
    response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    headers: {} as Record<string, unknown>,
    get waiting() {
      return waiting.size;
    },
    status: 200 as number | undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}

function spansOf({ resourceSpans }: OtlpBody): SentSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId, name, kind, attributes, status }) => ({
        name,
        traceId,
        spanId,
        parent: parentSpanId ?? '',
        isServer: kind === 2,
        hasFailed: status.code === 2,
        attributes: recordOf(attributes),
        service: recordOf(resource.attributes)['service.name'],
      })),
    ),
  );
}

function recordOf(attributes: OtlpSpan['attributes']): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}
