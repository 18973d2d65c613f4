import { proxy, type Remote, releaseProxy } from 'comlink';
import { SandboxError } from '../../protocol/errors.ts';
import type { ByteStream } from '../../protocol/sandbox/network.ts';

/** A byte stream for the other side of a port: it stays here and is used from there. */
export function streamByReference(stream: ByteStream): ByteStream {
  return proxy({
    read: () => stream.read(),
    write: (bytes: Uint8Array) => stream.write(bytes),
    end: () => stream.end(),
    close: () => stream.close(),
  });
}

/** A byte stream that is on the other side of a port. */
export function remoteStream(value: ByteStream, call: <T>(promise: Promise<T>) => Promise<T>): ByteStream {
  const remote = value as unknown as Remote<ByteStream>;
  let closed: Promise<void> | undefined;
  const open = (): Remote<ByteStream> => {
    if (closed) throw new SandboxError('connection-lost', 'The byte stream was closed');
    return remote;
  };
  return {
    read: async () => call(open().read()),
    write: async (bytes) => call(open().write(bytes)),
    end: async () => call(open().end()),
    close: () => {
      closed ??= call(remote.close()).finally(() => remote[releaseProxy]());
      return closed;
    },
  };
}
