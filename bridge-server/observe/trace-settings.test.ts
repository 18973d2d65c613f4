import { expect, test } from 'vitest';
import { readTraceSettings, shownAddress } from './trace-settings.ts';

const address = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' };
const url = 'http://collector.example:4318/v1/traces';
const encoding = 'http/protobuf';

test.each([
  ['nothing', {}, undefined],
  ['an address', address, { url, encoding }],
  [
    'an address with a path',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://example.org/otlp/?key=1' },
    { url: 'https://example.org/otlp/v1/traces?key=1', encoding },
  ],
  [
    'an address of their own, as it is',
    { ...address, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other.example/in' },
    { url: 'http://other.example/in', encoding },
  ],
  ['JSON', { ...address, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, { url, encoding: 'http/json' }],
  [
    'JSON for traces only',
    {
      ...address,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    },
    { url, encoding: 'http/json' },
  ],
  ['no SDK', { ...address, OTEL_SDK_DISABLED: 'true' }, undefined],
  ['no exporter', { ...address, OTEL_TRACES_EXPORTER: 'none' }, undefined],
])('C-3 traces go where the environment says: %s', (_, environment, settings) => {
  expect(readTraceSettings(environment)).toEqual(settings);
});

test.each([
  ['gRPC', { ...address, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'unsupported'],
  ['another exporter', { ...address, OTEL_TRACES_EXPORTER: 'zipkin' }, 'unsupported'],
  ['no address', { OTEL_EXPORTER_OTLP_ENDPOINT: 'key:hush@collector' }, 'invalid-argument'],
  ['a file', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'file:///hush' }, 'invalid-argument'],
])('C-3 %s is refused by the name of its variable, and not repeated', (_, environment, code) => {
  expect(() => readTraceSettings(environment)).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(/^(?!.*hush).*OTEL_/) }),
  );
});

test('S-6 an address is shown without what opens it', () => {
  expect(shownAddress('https://me:hush@collector.example/in/v1/traces?key=hush#hush')).toBe(
    'https://collector.example/in/v1/traces',
  );
});
