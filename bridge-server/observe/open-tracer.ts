import type { Tracer } from '../trace-contract.ts';
import { noTracer } from './no-tracer.ts';
import type { TracerOptions } from './otlp-tracer.ts';
import { readTraceSettings } from './trace-settings.ts';

/**
 * The tracer that this process's environment asks for. What it takes is loaded only then.
 * @throws invalid-argument, unsupported when the variables ask for what cannot be
 */
export async function openTracer(options: TracerOptions): Promise<Tracer> {
  const settings = readTraceSettings(process.env);
  if (settings === undefined) return noTracer;
  const { OtlpTracer } = await import('./otlp-tracer.ts');
  return OtlpTracer.open(settings, options);
}
