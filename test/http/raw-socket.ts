import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

interface FrameShape {
  readonly first: number;
  readonly length: number;
  readonly fill?: number;
  /** Bytes of the body that are sent. */
  readonly body?: number;
}

/** A client's frame with a mask of zeroes (RFC 6455, 5.2). */
export function frame({ first, length, fill = 0x61, body = length }: FrameShape): Buffer {
  const head = Buffer.alloc(14);
  head[0] = first;
  if (length < 126) {
    head[1] = 0x80 | length;
    return Buffer.concat([head.subarray(0, 6), Buffer.alloc(body, fill)]);
  }
  head[1] = 0xff;
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(body, fill)]);
}

/** One message in so many frames, of which none is the last. */
export function fragments(count: number, length: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => frame({ first: index === 0 ? 0x02 : 0x00, length }));
}

/** A WebSocket whose frames the test writes itself. */
export async function rawSocket(url: string, token: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const key = randomBytes(16).toString('base64');
  socket.write(
    `GET ${new URL(url).pathname} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
      `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!/^HTTP\/1\.1 101 /.test(answer.toString('latin1'))) throw new Error(`It was refused: ${answer}`);
  return socket;
}

/** The code of the close frame that the server sends before it ends the connection. */
export async function closeCode(socket: Socket): Promise<number> {
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  socket.on('error', () => {});
  await once(socket, 'end');
  socket.destroy();
  const bytes = Buffer.concat(parts);
  return bytes.readUInt16BE(bytes.lastIndexOf(0x88) + 2);
}

/** The first line of what the server answers to raw bytes. */
export function firstLine(url: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    socket.on('error', () => {});
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(answer.split('\r\n')[0] ?? ''));
  });
}
