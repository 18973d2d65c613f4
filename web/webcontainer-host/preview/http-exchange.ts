import { limits } from '../../../protocol/limits.ts';
import type { PortConnection } from '../../../sdk/network.ts';
import { fromLatin1 } from '../latin1.ts';
import { hostLimits } from '../limits.ts';
import { type BodyFraming, encodeRequestHead, garbled, parseAnswerHead } from './http-head.ts';
import type { AnswerHead, PreviewRequest } from './preview-messages.ts';

type Connection = Pick<PortConnection, 'read' | 'write' | 'close'>;

export interface HttpAnswer {
  readonly head: AnswerHead;
  /** Read once; the connection is closed when it ends or is left. */
  readonly body: AsyncGenerator<Uint8Array, void>;
}

/**
 * Asks a server in the sandbox, over a connection of its own that is closed with the answer's body.
 * @throws protocol-violation, connection-lost, invalid-argument, unsupported; then the connection is closed
 */
export async function exchangeHttp(
  connection: Connection,
  { request, port }: { request: PreviewRequest; port: number },
): Promise<HttpAnswer> {
  try {
    await connection.write(encodeRequestHead(request, port));
    if (request.body) await connection.write(request.body);
    const input = new ConnectionInput(connection);
    const readHead = async () => parseAnswerHead(await input.head(), { request, port });
    let parsed = await readHead();
    // Interim answers, such as 103, come before the one that counts.
    for (let interim = 1; parsed.head.status < 200; interim++) {
      if (interim > hostLimits.interimAnswers) throw garbled('it is announced, and does not come');
      parsed = await readHead();
    }
    return { head: parsed.head, body: readBody(input, { framing: parsed.framing, connection }) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function* readBody(
  input: ConnectionInput,
  { framing, connection }: { framing: BodyFraming; connection: Connection },
): AsyncGenerator<Uint8Array, void> {
  try {
    if (framing.type === 'length') yield* input.exactly(framing.bytes);
    else if (framing.type === 'until-end') {
      for (let piece = await input.piece(); piece; piece = await input.piece()) yield piece;
    } else if (framing.type === 'chunked') {
      for (let size = chunkSize(await input.line()); size > 0; size = chunkSize(await input.line())) {
        yield* input.exactly(size);
        await input.line();
      }
    }
  } finally {
    await connection.close();
  }
}

function chunkSize(line: string): number {
  const [digits = ''] = line.split(';');
  if (!/^[0-9a-f]{1,8}$/i.test(digits.trim())) throw garbled('a chunk has no size');
  return Number.parseInt(digits, 16);
}

/** What comes of a connection, by line or by size. */
class ConnectionInput {
  readonly #connection: Connection;
  #held = new Uint8Array(0);

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Up to an empty line. */
  async head(): Promise<string> {
    const lines: string[] = [];
    let size = 0;
    for (let line = await this.line(); line !== ''; line = await this.line()) {
      size += line.length;
      if (size > limits.httpHeaderBytes) throw garbled('its headers are too large');
      lines.push(line);
    }
    return lines.join('\n');
  }

  async line(): Promise<string> {
    let end = this.#held.indexOf(0x0a);
    while (end < 0) {
      if (this.#held.length > limits.httpHeaderBytes) throw garbled('a line is too long');
      if (!(await this.#more())) throw garbled('it ends early');
      end = this.#held.indexOf(0x0a);
    }
    const line = fromLatin1(this.#held.subarray(0, end));
    this.#held = this.#held.slice(end + 1);
    return line.replace(/\r$/, '');
  }

  /** What has come; nothing at the end. */
  async piece(): Promise<Uint8Array | undefined> {
    if (this.#held.length === 0 && !(await this.#more())) return undefined;
    const piece = this.#held;
    this.#held = new Uint8Array(0);
    return piece;
  }

  async *exactly(bytes: number): AsyncGenerator<Uint8Array, void> {
    for (let missing = bytes; missing > 0; ) {
      const piece = await this.piece();
      if (!piece) throw garbled('it ends early');
      this.#held = piece.slice(missing);
      yield piece.slice(0, missing);
      missing -= Math.min(missing, piece.length);
    }
  }

  async #more(): Promise<boolean> {
    const piece = await this.#connection.read();
    if (!piece) return false;
    const joined = new Uint8Array(this.#held.length + piece.length);
    joined.set(this.#held);
    joined.set(piece, this.#held.length);
    this.#held = joined;
    return true;
  }
}
