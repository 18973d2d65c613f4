import { SandboxError } from '../../protocol/errors.ts';

/** Where traces go, as the environment says. */
export interface TraceSettings {
  readonly url: string;
  readonly encoding: 'http/json' | 'http/protobuf';
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the variables that OpenTelemetry has for it. `undefined` without an address, and where traces are switched off.
 * Source: "OpenTelemetry Protocol Exporter" and "Environment Variable Specification", both of opentelemetry.io.
 * @throws invalid-argument; unsupported for a protocol or an exporter that is not there. Neither repeats an address,
 * which may hold a password.
 */
export function readTraceSettings(environment: Environment): TraceSettings | undefined {
  const value = (name: string) => environment[name]?.trim() || undefined;
  const own = value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const all = value('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (own === undefined && all === undefined) return undefined;
  if (value('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const exporter = value('OTEL_TRACES_EXPORTER') ?? 'otlp';
  if (exporter === 'none') return undefined;
  if (exporter !== 'otlp') throw cannot('OTEL_TRACES_EXPORTER', 'otlp or none');
  const protocol = value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? value('OTEL_EXPORTER_OTLP_PROTOCOL');
  const encoding = protocol ?? 'http/protobuf';
  if (encoding !== 'http/json' && encoding !== 'http/protobuf')
    throw cannot('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf or http/json');
  const url =
    own === undefined
      ? parseAddress('OTEL_EXPORTER_OTLP_ENDPOINT', all)
      : parseAddress('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', own);
  if (own === undefined) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return { url: url.href, encoding };
}

/** An address as it may be shown: tokens travel in the other parts. */
export function shownAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function parseAddress(variable: string, text = ''): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  const message = `Cannot send traces: ${variable} is no address of http or https`;
  throw new SandboxError('invalid-argument', message, { details: { variable } });
}

function cannot(variable: string, known: string): SandboxError {
  const message = `Cannot send traces as ${variable} says: the bridge knows ${known}`;
  return new SandboxError('unsupported', message, { details: { feature: 'traces', variable } });
}
