import { ShellError } from '../../shell-error.ts';
import { decodeText, encodeText } from '../../text.ts';
import type { ProgramContext } from '../program-context.ts';
import type { CopiedFiles } from './copied-files.ts';
import type { HostAnswer, HostCall } from './guest/guest-host.ts';

/** Serves what a script asks of the world outside of QuickJS. What it sends is hostile. */
export function hostCalls(
  context: ProgramContext,
  {
    files,
    stdin,
    onExit,
  }: { files: CopiedFiles; stdin: Uint8Array | undefined; onExit: (exitCode: number) => void },
): (name: string, args: readonly unknown[], bytes: Uint8Array) => Uint8Array | HostAnswer {
  const text = (value: unknown): string => (typeof value === 'string' ? value : String(value));
  const calls: Record<HostCall, (args: readonly unknown[], bytes: Uint8Array) => unknown> = {
    appendFile: ([path], bytes) => files.write(text(path), bytes, true),
    chmod: ([path, mode]) => files.chmod(text(path), Number(mode) || 0),
    decode: (_, bytes) => decodeText(bytes).toWellFormed(),
    encode: ([value]) => encodeText(text(value)),
    exit: ([code]) => onExit(Number(code) & 0xff),
    lstat: ([path]) => files.stat(text(path), false),
    mkdir: ([path]) => files.makeDirectory(text(path)),
    output: ([fd, value], bytes) => {
      context.writeBytes(fd === 2 ? 2 : 1, typeof value === 'string' ? encodeText(value) : bytes);
    },
    readFile: ([path]) => files.read(text(path)),
    readdir: ([path]) => files.readdir(text(path)),
    readlink: ([path]) => files.readlink(text(path)),
    realpath: ([path]) => files.realpath(text(path)),
    remove: ([path]) => files.remove(text(path)),
    rename: ([path, to]) => files.rename(text(path), text(to)),
    stat: ([path]) => files.stat(text(path), true),
    stdin: () => stdin ?? unreadable,
    symlink: ([target, path]) => files.symlink(text(target), text(path)),
    writeFile: ([path], bytes) => files.write(text(path), bytes, false),
  };
  const isCall = (name: string): name is HostCall => Object.hasOwn(calls, name);

  return (name, args, bytes) => {
    if (!isCall(name)) return { code: 'ENOSYS', message: 'Function not implemented' };
    try {
      const value = calls[name](args, bytes);
      if (value === unreadable) return unreadable;
      return value instanceof Uint8Array ? value : { value: value ?? null };
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      return { code: error.code, message: error.message };
    }
  };
}

/** Standard input cannot be waited for: it is read before the script begins. */
const unreadable: HostAnswer = {
  code: 'EAGAIN',
  message: 'Resource temporarily unavailable (the main script does not name stdin, so it was not read)',
};
