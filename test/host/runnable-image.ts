import { tmpdir } from 'node:os';
import { whatProgramsLack } from '../../bridge-server/runtimes/jail/probe-programs.ts';

/** Why programs for i386 do not run on this host; `undefined` when they do. */
export const i386Lack = await whatProgramsLack('i386', { folder: tmpdir() });

/** The image that jails are tested with: `debian`, or, where the kernel runs no i386 programs, the small one for amd64. */
export const runnableImage = i386Lack === undefined ? 'debian' : 'debian-amd64-slim';
