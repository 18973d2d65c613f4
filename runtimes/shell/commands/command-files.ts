import { SandboxError } from '../../../protocol/errors.ts';
import { absolutePath } from '../../../shell/files/absolute-path.ts';
import type { ProgramCall } from '../../../shell/programs/program.ts';
import { ShellError, ShellLimitError } from '../../../shell/shell-error.ts';
import { decodeText, encodeText } from '../../../shell/text.ts';
import { ShellFileChanger } from '../file-changer.ts';
import type { CommandFiles } from './shell-command.ts';

/** The files of a sandbox, for a command that runs. */
export class ProcessCommandFiles implements CommandFiles {
  readonly #call: ProgramCall;
  readonly #changer: ShellFileChanger;
  readonly #assertRuns: () => void;

  constructor(call: ProgramCall, assertRuns: () => void) {
    this.#call = call;
    this.#changer = new ShellFileChanger(call.files);
    this.#assertRuns = assertRuns;
  }

  read(path: string, options?: { readonly format?: 'text' }): Promise<string>;
  read(path: string, options: { readonly format: 'bytes' }): Promise<Uint8Array>;
  async read(
    path: string,
    { format = 'text' }: { readonly format?: 'text' | 'bytes' } = {},
  ): Promise<string | Uint8Array> {
    const bytes = this.#look(`read "${path}"`, () => this.#call.files.readFile(this.#absolute(path)));
    return format === 'bytes' ? bytes : decodeText(bytes);
  }

  async write(path: string, data: string | Uint8Array, options?: { readonly mode?: number }): Promise<void> {
    this.#assertRuns();
    const bytes = typeof data === 'string' ? encodeText(data) : data;
    await this.#changer.write({ path: this.#absolute(path), bytes, ...options });
  }

  async list(path: string): Promise<string[]> {
    const names = this.#look(`list "${path}"`, () => this.#call.files.readdir(this.#absolute(path)));
    return [...names].sort();
  }

  async exists(path: string): Promise<boolean> {
    this.#assertRuns();
    return this.#call.files.exists(this.#absolute(path));
  }

  async makeDirectory(path: string): Promise<void> {
    this.#assertRuns();
    await this.#changer.makeDirectory({ path: this.#absolute(path) });
  }

  async remove(path: string): Promise<void> {
    this.#assertRuns();
    await this.#changer.remove({ path: this.#absolute(path) });
  }

  #absolute(path: string): string {
    return absolutePath(this.#call.cwd, path);
  }

  #look<T>(what: string, work: () => T): T {
    this.#assertRuns();
    try {
      return work();
    } catch (cause) {
      if (cause instanceof ShellLimitError) {
        throw new SandboxError('limit-exceeded', `Cannot ${what}: ${cause.message}`, { cause });
      }
      if (!(cause instanceof ShellError)) throw cause;
      const code = cause.code === 'ENOENT' ? 'not-found' : 'invalid-argument';
      throw new SandboxError(code, `Cannot ${what}: ${cause.message}`, { cause });
    }
  }
}
