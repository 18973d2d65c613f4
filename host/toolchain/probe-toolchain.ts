import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import { runTool } from '../run-tool.ts';

/** A machine that is busy with something else takes seconds for a compiler's first start. */
const deadlineMs = 60_000;

/** What the kernel's makefiles call beside the compiler; `lz4c` packs its image. */
const tools = ['bc', 'bison', 'flex', 'lz4c', 'make', 'patch', 'tar', 'xz'];

/** The kernel's makefiles build tools for the host, and run them. */
const hostProgram = '#include <stdio.h>\nint main(void) { return puts("works") < 0; }\n';
/** Kernel and init are i386 programs that bring their own C library or none. */
const guestProgram = 'void _start(void) {}\n';

export type Probe =
  | { readonly type: 'works' /** First line of `gcc --version`. */; readonly compiler: string }
  /** `hangs` may be the fault of a machine that is busy with something else. */
  | { readonly type: 'fails' | 'hangs' /** For a person. */; readonly reason: string };

/**
 * Whether kernel and init can be built with the programs of an environment: compiles and links for
 * the host and for i386, runs the result, and starts every tool, with a deadline. `folder` is
 * written to and must allow programs to run, as the build's must.
 */
export async function probeToolchain(
  env: NodeJS.ProcessEnv,
  options: { folder: string; signal?: AbortSignal | undefined; timeoutMs?: number },
): Promise<Probe> {
  const { folder, timeoutMs = deadlineMs } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
  const run = async (...argv: string[]) => runTool(argv, { env, signal });
  const [host, guest] = [join(folder, 'host'), join(folder, 'guest')];
  await writeFile(`${host}.c`, hostProgram);
  await writeFile(`${guest}.c`, guestProgram);
  const attempts = [
    run('gcc', '--version'),
    run('gcc', '-o', host, `${host}.c`).then(() => run(host)),
    run('gcc', '-m32', '-static', '-nostdlib', '-no-pie', '-fno-pie', '-o', guest, `${guest}.c`),
    ...tools.map((tool) => run(tool, '--version')),
  ];
  // Whatever fails, the others may still write to the folder.
  await Promise.allSettled(attempts);
  try {
    const [version = ''] = await Promise.all(attempts);
    return { type: 'works', compiler: version.split('\n')[0] ?? '' };
  } catch (error) {
    options.signal?.throwIfAborted();
    if (deadline.aborted) return { type: 'hangs', reason: `no answer within ${timeoutMs / 1000} s` };
    return { type: 'fails', reason: SandboxError.from(error).message };
  }
}
