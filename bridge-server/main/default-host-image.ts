import { tmpdir } from 'node:os';
import { whatProgramsLack } from '../runtimes/jail/probe-programs.ts';

export interface DefaultHostImage {
  readonly name: 'debian' | 'debian-amd64';
  /** Why it is not the image of tabs, whose sandboxes cannot move here then; `undefined` where it is. */
  readonly why: string | undefined;
}

/** The image of a host that is told of none: that of tabs, or its twin for 64 bits on a kernel that runs no 32-bit programs. */
export async function defaultHostImage(): Promise<DefaultHostImage> {
  const why = await whatProgramsLack('i386', { folder: tmpdir() });
  return { name: why === undefined ? 'debian' : 'debian-amd64', why };
}
