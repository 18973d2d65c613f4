import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import { SandboxError } from '../../protocol/errors.ts';

/**
 * Which traces are sent, by OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG: the tracing SDK has left reading
 * them to its users since version 3. All are, and those of a parent that is, unless they say otherwise.
 * @throws invalid-argument
 */
export function readSampler(environment: Readonly<Record<string, string | undefined>>): Sampler {
  const name = environment.OTEL_TRACES_SAMPLER?.trim() || 'parentbased_always_on';
  const [, parentBased, kind] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ?? [];
  if (kind === undefined) throw invalid('OTEL_TRACES_SAMPLER', 'it names no sampler of OpenTelemetry');
  const root = samplerOf(kind, environment.OTEL_TRACES_SAMPLER_ARG?.trim());
  return parentBased === undefined ? root : new ParentBasedSampler({ root });
}

function samplerOf(kind: string, argument: string | undefined): Sampler {
  if (kind === 'always_on') return new AlwaysOnSampler();
  if (kind === 'always_off') return new AlwaysOffSampler();
  const ratio = argument ? Number(argument) : 1;
  if (!(ratio >= 0 && ratio <= 1)) throw invalid('OTEL_TRACES_SAMPLER_ARG', 'it is no number from 0 to 1');
  return new TraceIdRatioBasedSampler(ratio);
}

function invalid(variable: string, why: string): SandboxError {
  const message = `Cannot choose which traces to send by ${variable}: ${why}`;
  return new SandboxError('invalid-argument', message, { details: { variable } });
}
