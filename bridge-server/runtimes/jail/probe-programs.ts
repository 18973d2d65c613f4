import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '../../../host/run-tool.ts';
import type { Architecture } from '../../../protocol/architecture.ts';
import { SandboxError } from '../../../protocol/errors.ts';

const probeTimeoutMs = 10_000;

/** Machine code that calls `exit(0)`, and what an ELF header says of it (elf(5)). */
const programs = {
  i386: { is64Bit: false, machine: 3, code: [0x31, 0xdb, 0x8d, 0x43, 0x01, 0xcd, 0x80] },
  amd64: { is64Bit: true, machine: 62, code: [0x31, 0xff, 0x8d, 0x47, 0x3c, 0x0f, 0x05] },
} as const satisfies Record<Architecture, { is64Bit: boolean; machine: number; code: readonly number[] }>;

/**
 * Why programs for `architecture` do not run on this host, found out by running one in `folder`;
 * `undefined` when they do. @throws what the file system says when it cannot be written
 */
export async function whatProgramsLack(
  architecture: Architecture,
  { folder }: { readonly folder: string },
): Promise<string | undefined> {
  const own = await mkdtemp(join(folder, 'probe-'));
  const path = join(own, architecture);
  try {
    // At once: a child of somebody else that inherits the open file would keep the kernel from running it.
    writeFileSync(path, smallestProgram(architecture), { mode: 0o700 });
    const why = await whyNotRun(path);
    return why === undefined ? undefined : `a program for ${architecture} did not run: ${why}`;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

async function whyNotRun(path: string): Promise<string | undefined> {
  try {
    await runTool([path], { signal: AbortSignal.timeout(probeTimeoutMs) });
    return undefined;
  } catch (error) {
    return SandboxError.from(error).message;
  }
}

const loadAddress = 0x10000;
const pageBytes = 0x1000;
const readAndExecute = 5;

/** An executable of one segment, which is the whole file; numbers are little-endian, as this host's are. */
function smallestProgram(architecture: Architecture): Uint8Array {
  const { is64Bit, machine, code } = programs[architecture];
  const half = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer);
  const word = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
  const address = (...values: number[]) =>
    is64Bit ? Buffer.from(BigUint64Array.from(values, BigInt).buffer) : word(...values);
  const [headerBytes, segmentBytes] = is64Bit ? [64, 56] : [52, 32];
  const codeAt = headerBytes + segmentBytes;
  const sizeBytes = codeAt + code.length;
  const header = [
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, is64Bit ? 2 : 1, 1, 1, ...Array(9).fill(0)]),
    half(2, machine), // ET_EXEC
    word(1),
    address(loadAddress + codeAt, headerBytes, 0),
    word(0),
    half(headerBytes, segmentBytes, 1, 0, 0, 0),
  ];
  const place = address(0, loadAddress, loadAddress, sizeBytes, sizeBytes);
  const flags = word(readAndExecute);
  // PT_LOAD; the flags moved when addresses grew.
  const segment = [word(1), ...(is64Bit ? [flags, place] : [place, flags]), address(pageBytes)];
  return Buffer.concat([...header, ...segment, Buffer.from(code)]);
}
