import type { Span, Tracer } from '../trace-contract.ts';

const noSpan: Span = {
  traceId: undefined,
  run: (work) => work(),
  fail: () => {},
  end: () => {},
};

/** Traces nothing. */
export const noTracer: Tracer = {
  target: undefined,
  receive: () => noSpan,
  during: (_name, _facts, work) => work(),
  [Symbol.asyncDispose]: async () => {},
};
