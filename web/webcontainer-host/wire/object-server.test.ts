import { expect, test } from 'vitest';
import { hostLimits } from '../limits.ts';
import { proxyValue, rawValue, requestTypes } from './messages.ts';
import { ObjectServer, type ServedObject, served } from './object-server.ts';

/** What a client asks of an object, and what it is told. */
function serve(object: ServedObject, server: ObjectServer = new ObjectServer()) {
  const { port1, port2 } = new MessageChannel();
  server.serve(port1, object);
  const answers = new Map<string, (answer: Record<string, unknown>) => void>();
  port2.onmessage = ({ data }: MessageEvent) => answers.get(data.id)?.(data);
  const ask = (name: string, ...values: MessagePort[]): Promise<Record<string, unknown>> => {
    const id = `${answers.size}`;
    const answer = Promise.withResolvers<Record<string, unknown>>();
    answers.set(id, answer.resolve);
    const argumentList = values.map(proxyValue);
    port2.postMessage({ id, type: requestTypes.apply, path: [name], argumentList }, values);
    return answer.promise;
  };
  return { ask, port: port2 };
}

const refused = (code: string) => ({ name: 'throw', value: { isError: true, value: { code } } });

test('C-7 S-6 listeners of a call that fails are let go of, those of one that succeeds are kept', async () => {
  const server = new ObjectServer();
  const { ask, port } = serve(
    {
      methods: {
        fail: async () => {
          throw new Error('no');
        },
        listen: () => undefined,
      },
    },
    server,
  );
  const told = async (name: string) => {
    const { port1, port2 } = new MessageChannel();
    const released = Promise.withResolvers<string>();
    port1.addEventListener('message', ({ data }: MessageEvent) => {
      if (data.type === requestTypes.release) released.resolve('released');
    });
    port1.start();
    await ask(name, port2);
    return released.promise;
  };
  expect(await told('fail')).toBe('released');
  expect(await told('unknown')).toBe('released');
  const kept = told('listen');
  await ask('listen');
  server.close();
  expect(await kept).toBe('released');
  port.close();
});

test('C-7 S-6 more objects, listeners and requests than the limits are refused by name, and what was made is released', async () => {
  let released = 0;
  const never = new Promise(() => undefined);
  const methods = {
    make: () => served({ onRelease: () => void released++ }),
    wait: () => never,
    listen: () => undefined,
  };
  const server = new ObjectServer();
  const { ask, port } = serve({ methods }, server);
  for (let made = 1; made < hostLimits.handles; made++) void ask('make');
  expect(await ask('make')).toMatchObject(refused('limit-exceeded'));
  expect(released).toBe(1);
  for (let taken = 0; taken < hostLimits.handles; taken++) void ask('listen', new MessageChannel().port2);
  expect(await ask('listen', new MessageChannel().port2)).toMatchObject(refused('limit-exceeded'));
  for (let waiting = 0; waiting < hostLimits.requests; waiting++) void ask('wait');
  expect(await ask('wait')).toMatchObject(refused('busy'));
  server.close();
  expect(released).toBe(hostLimits.handles);
  port.close();
});

test('C-7 what one server has made for another goes with that one alone', async () => {
  const [first, instance] = [new ObjectServer(), new ObjectServer()];
  let isReleased = false;
  const onRelease = () => {
    isReleased = true;
  };
  const made = served({ onRelease }, instance);
  const { ask, port } = serve({ methods: { make: () => made, ping: () => 'pong' } }, first);
  const answer = await ask('make');
  expect(answer).toMatchObject({ name: 'proxy' });
  instance.close();
  expect(isReleased).toBe(true);
  expect(await ask('ping')).toMatchObject(rawValue('pong'));
  first.close();
  (answer.value as MessagePort).close();
  port.close();
});
