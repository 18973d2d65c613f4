import { afterEach, expect, test, vi } from 'vitest';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { findEmbedder } from './find-embedder.ts';
import { InstanceOffer } from './offer-instance.ts';
import { PreviewAddresses } from './preview/preview-addresses.ts';
import { rawValue, requestTypes } from './wire/messages.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

function asker(port: MessagePort) {
  let count = 0;
  return (name: string, ...values: unknown[]): Promise<{ readonly value: never }> => {
    const id = `${count++}`;
    const answer = Promise.withResolvers<{ readonly value: never }>();
    port.addEventListener('message', ({ data }: MessageEvent) => data.id === id && answer.resolve(data));
    port.start();
    port.postMessage({ id, type: requestTypes.apply, path: [name], argumentList: values.map(rawValue) });
    return answer.promise;
  };
}

test('C-7 the next instance is its own: timers of the one before, late as in a hidden tab, leave it alone', async () => {
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('removeEventListener', () => undefined);
  const backend = shellBackend();
  const { port1, port2 } = new MessageChannel();
  const site = { origin: 'https://wc.example', hostname: 'wc.example', protocol: 'https:', port: '' };
  new InstanceOffer(port1, {
    embedder: 'https://app.example',
    openSandbox: async () => {
      const sandbox = await Sandbox.create({ backend });
      return { sandbox, [Symbol.asyncDispose]: () => sandbox.close() };
    },
    previewAddresses: () => new PreviewAddresses(site, undefined),
  });
  const offer = asker(port2);
  const build = async () => asker((await offer('build', { host: 'app.example' })).value);
  const first = await build();
  // What is to run at once runs when this test says so.
  const { setTimeout } = globalThis;
  const late: (() => void)[] = [];
  vi.stubGlobal('setTimeout', (work: () => void, ms: number) =>
    ms === 0 ? late.push(work) : setTimeout(work, ms),
  );
  await first('teardown');
  const second = await build();
  await first('teardown');
  expect(late.length).toBeGreaterThan(0);
  for (const work of late) work();
  expect(await second('runtimeInfo')).toMatchObject(rawValue({ cwd: '/home/user/project' }));
  expect(await offer('build', { host: 'app.example' })).toMatchObject({ name: 'throw' });
  await second('teardown');
  port1.close();
});

test('C-7 S-6 the embedding page is the browser’s word, else the referrer; none of a page by itself or without an origin', () => {
  const find = (options: { ancestors?: string[]; referrer?: string; isTop?: boolean }) => {
    const window = {} as Window & typeof globalThis;
    return findEmbedder({
      window,
      parent: options.isTop ? window : ({} as Window),
      location: { ancestorOrigins: options.ancestors } as unknown as Location,
      document: { referrer: options.referrer ?? '' } as Document,
    });
  };
  expect(find({ ancestors: ['https://app.example', 'https://top.example'] })).toBe('https://app.example');
  expect(find({ ancestors: ['https://app.example'], referrer: 'https://other.example/' })).toBe(
    'https://app.example',
  );
  expect(find({ referrer: 'https://app.example/page?x' })).toBe('https://app.example');
  expect(find({ referrer: '' })).toBeUndefined();
  expect(find({ ancestors: ['null'] })).toBeUndefined();
  expect(find({ ancestors: ['https://app.example'], isTop: true })).toBeUndefined();
});
