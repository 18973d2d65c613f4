import { expect, test } from 'vitest';
import { readSampler } from './read-sampler.ts';

test.each([
  [undefined, undefined, 'ParentBased{root=AlwaysOnSampler, '],
  ['always_on', undefined, 'AlwaysOnSampler'],
  ['always_off', undefined, 'AlwaysOffSampler'],
  ['traceidratio', '0.25', 'TraceIdRatioBased{0.25}'],
  ['parentbased_always_off', undefined, 'ParentBased{root=AlwaysOffSampler, '],
  ['parentbased_traceidratio', undefined, 'ParentBased{root=TraceIdRatioBased{1}, '],
])('C-3 %s with %s chooses what is sent', (name, argument, sampler) => {
  const chosen = readSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument });
  expect(chosen.toString().slice(0, sampler.length)).toBe(sampler);
});

test.each([
  ['jaeger_remote', undefined],
  ['traceidratio', '2'],
  ['traceidratio', 'half'],
])('C-3 %s with %s is refused', (name, argument) => {
  expect(() => readSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument })).toThrow(
    expect.objectContaining({ code: 'invalid-argument' }),
  );
});
