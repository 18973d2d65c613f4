import { SandboxError } from '../errors.ts';

type StreamReader = ReturnType<DecompressionStream['readable']['getReader']>;
type StreamWriter = ReturnType<DecompressionStream['writable']['getWriter']>;

/** The bytes of a tar archive, inflated if they are a gzip (RFC 1952), as fast as they are read. */
export async function* plainTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const iterator = source[Symbol.asyncIterator]();
  const rest = { [Symbol.asyncIterator]: () => iterator };
  try {
    // A first piece may be of any size, and empty.
    let head = new Uint8Array(0);
    while (head.length < 2) {
      const { done, value } = await iterator.next();
      if (done) break;
      const longer = new Uint8Array(head.length + value.length);
      longer.set(head);
      longer.set(value, head.length);
      head = longer;
    }
    const whole = withHead(head, rest);
    // No tar begins like this: the bytes would be a member's name.
    if (head[0] === 0x1f && head[1] === 0x8b) yield* inflate(whole);
    else yield* whole;
  } finally {
    // Not awaited: if a read is pending, it waits for the sender.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

async function* withHead(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  yield* rest;
}

async function* inflate(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new DecompressionStream('gzip');
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  // The reader gets the same error.
  const feeding = feed(source, writer).catch(() => undefined);
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
    await feeding;
  } catch (cause) {
    if (cause instanceof SandboxError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SandboxError('invalid-argument', `Cannot inflate the archive: ${why}`, { cause });
  } finally {
    await abandon(reader);
  }
}

/**
 * Cancels a stream that may not have been read to its end, in a task of its own. In Node, a read lets zlib behind
 * the stream go on in the next tick. A stream that is cancelled before that tick is closed at once; zlib then
 * delivers output to a closed stream, which throws where nobody can catch it.
 */
async function abandon(reader: StreamReader): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve));
  await reader.cancel().catch(() => undefined);
}

/** Waits until the reader has space, so that a small input that inflates to much is inflated only as it is read. */
async function feed(source: AsyncIterable<Uint8Array>, writer: StreamWriter): Promise<void> {
  try {
    for await (const piece of source) {
      await writer.ready;
      // A copy, since streams do not accept shared memory.
      await writer.write(piece.slice());
    }
    await writer.close();
  } catch (cause) {
    await writer.abort(SandboxError.from(cause));
    throw cause;
  }
}
