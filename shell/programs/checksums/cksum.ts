import { defineProgram } from '../command-line/define-program.ts';
import { withInput } from '../command-line/with-input.ts';
import { ProgramError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program } from '../program.ts';
import { pieces } from '../streams/input.ts';
import { type DigestName, digests, hexOf } from './digests.ts';

const polynomial = 0x04c11db7;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = value & 0x80000000 ? (value << 1) ^ polynomial : value << 1;
  return value >>> 0;
});

/** The CRC of POSIX's cksum, which has the length in it. */
class PosixCrc {
  #crc = 0;
  #length = 0;

  update(bytes: Uint8Array): void {
    let crc = this.#crc;
    for (const byte of bytes) crc = (crc << 8) ^ (table[(crc >>> 24) ^ byte] ?? 0);
    this.#crc = crc;
    this.#length += bytes.length;
  }

  end(): { crc: number; length: number } {
    const length = this.#length;
    for (let left = length; left > 0; left = Math.floor(left / 256)) {
      this.#crc = (this.#crc << 8) ^ (table[(this.#crc >>> 24) ^ (left & 0xff)] ?? 0);
    }
    return { crc: ~this.#crc >>> 0, length };
  }
}

export const cksum: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Print CRC checksum and byte counts of each FILE.',
  options: {
    algorithm:
      '-a, --algorithm=TYPE  select the digest type to use: crc, md5, sha1, sha224, sha256, sha384, sha512, blake2b',
    untagged: '--untagged  create a reversed style checksum, without digest type',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const algorithm = options.value('algorithm') ?? 'crc';
    const kind =
      algorithm === 'blake2b'
        ? digests.b2sum
        : Object.hasOwn(digests, `${algorithm}sum`)
          ? digests[`${algorithm}sum` as DigestName]
          : undefined;
    if (kind === undefined && algorithm !== 'crc') {
      throw new ProgramError(`invalid argument ${quoteName(algorithm)} for '--algorithm'`, { isUsage: true });
    }
    let status = 0;
    for (const name of operands.length > 0 ? operands : [undefined]) {
      const isDone = await withInput(invocation, { name: name ?? '-' }, async (file) => {
        if (kind) {
          const digest = kind.create();
          for await (const piece of pieces(file, call.signal)) digest.update(piece);
          const hex = hexOf(digest.digest());
          out.add(
            options.has('untagged')
              ? `${hex}  ${name ?? '-'}\n`
              : `${kind.label} (${name ?? '-'}) = ${hex}\n`,
          );
          return;
        }
        const running = new PosixCrc();
        for await (const piece of pieces(file, call.signal)) running.update(piece);
        const { crc, length } = running.end();
        out.add(`${crc} ${length}${name === undefined ? '' : ` ${name}`}\n`);
      });
      if (!isDone) status = 1;
    }
    return status;
  },
});

/** The BSD checksum: 16 bits that rotate. */
export const sum: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Print or check BSD (16-bit) checksums.',
  options: {
    bsd: '-r  use BSD sum algorithm (default), use 1K blocks',
    systemV: '-s, --sysv  use System V sum algorithm, use 512 bytes blocks',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const isSystemV = options.last('bsd', 'systemV') === 'systemV';
    let status = 0;
    for (const name of operands.length > 0 ? operands : [undefined]) {
      const isDone = await withInput(invocation, { name: name ?? '-' }, async (file) => {
        let value = 0;
        let length = 0;
        for await (const piece of pieces(file, call.signal)) {
          length += piece.length;
          for (const byte of piece)
            value = isSystemV ? (value + byte) >>> 0 : (((value >> 1) | ((value & 1) << 15)) + byte) & 0xffff;
        }
        const folded = (value & 0xffff) + (value >>> 16);
        const shown = isSystemV
          ? `${(folded & 0xffff) + (folded >>> 16)} ${Math.ceil(length / 512)}`
          : `${String(value).padStart(5, '0')} ${String(Math.ceil(length / 1024)).padStart(5)}`;
        out.add(`${shown}${name === undefined ? '' : ` ${name}`}\n`);
      });
      if (!isDone) status = 1;
    }
    return status;
  },
});
