import type { GuestLibrary } from './guest-host.ts';

/** `Buffer`, `TextEncoder`, `TextDecoder`. Runs within QuickJS. */
export function installBuffer({ call, modules }: GuestLibrary): void {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const exact = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
  const answered = (answer: ReturnType<typeof call>): unknown =>
    'value' in answer ? answer.value : undefined;
  const encode = (text: string): Uint8Array =>
    new Uint8Array(answered(call('encode', [text])) as ArrayBuffer);
  const decode = (bytes: Uint8Array): string => answered(call('decode', [], exact(bytes))) as string;

  function toBase64(bytes: Uint8Array): string {
    let text = '';
    for (let at = 0; at < bytes.length; at += 3) {
      const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
      const count = Math.min(3, bytes.length - at) + 1;
      for (let digit = 0; digit < 4; digit++) {
        text += digit < count ? digits[(bits >> (18 - digit * 6)) & 63] : '=';
      }
    }
    return text;
  }

  function fromBase64(text: string): number[] {
    const bytes: number[] = [];
    let bits = 0;
    let count = 0;
    for (const character of text.replace(/-/g, '+').replace(/_/g, '/')) {
      const value = digits.indexOf(character);
      if (value < 0) continue;
      bits = ((bits << 6) | value) & 0xffffff;
      count += 6;
      if (count < 8) continue;
      count -= 8;
      bytes.push((bits >> count) & 255);
    }
    return bytes;
  }

  class Buffer extends Uint8Array {
    static override from(value: unknown, encoding?: unknown): Buffer {
      if (typeof value !== 'string') return new Buffer(value as ArrayLike<number>);
      if (encoding === 'base64' || encoding === 'base64url') return new Buffer(fromBase64(value));
      if (encoding === 'hex') {
        return new Buffer((value.match(/[0-9a-f]{2}/gi) ?? []).map((pair) => Number.parseInt(pair, 16)));
      }
      if (encoding === 'latin1' || encoding === 'binary') {
        return new Buffer([...value].map((character) => character.charCodeAt(0) & 255));
      }
      return new Buffer(encode(value));
    }

    static alloc(size: number): Buffer {
      return new Buffer(size);
    }

    static isBuffer(value: unknown): boolean {
      return value instanceof Buffer;
    }

    static byteLength(text: string): number {
      return encode(text).length;
    }

    static concat(list: readonly Uint8Array[]): Buffer {
      const whole = new Buffer(list.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const bytes of list) {
        whole.set(bytes, at);
        at += bytes.length;
      }
      return whole;
    }

    override toString(encoding?: unknown): string {
      if (encoding === 'base64') return toBase64(this);
      if (encoding === 'base64url') {
        return toBase64(this).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
      }
      const units = Array.from(this as Uint8Array);
      if (encoding === 'hex') return units.map((byte) => byte.toString(16).padStart(2, '0')).join('');
      if (encoding === 'latin1' || encoding === 'binary') {
        return units.map((byte) => String.fromCharCode(byte)).join('');
      }
      return decode(this);
    }

    toJSON(): unknown {
      return { type: 'Buffer', data: Array.from(this as Uint8Array) };
    }
  }

  modules.buffer = { Buffer };
  Object.assign(globalThis, {
    Buffer,
    TextEncoder: class {
      encode(text = ''): Uint8Array {
        return encode(text);
      }
    },
    TextDecoder: class {
      decode(bytes: Uint8Array | ArrayBuffer = new Uint8Array(0)): string {
        return decode(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes).replace(/^\ufeff/, '');
      }
    },
    atob: (text: string) => Buffer.from(text, 'base64').toString('latin1'),
    btoa: (text: string) => Buffer.from(text, 'latin1').toString('base64'),
  });
}
