import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core';
import type { ShellText } from '../../text.ts';
import type { CopiedFiles } from './copied-files.ts';
import { installBuffer } from './guest/buffer.ts';
import { installConsole } from './guest/console.ts';
import { installFileSystem } from './guest/file-system.ts';
import { installModules } from './guest/modules.ts';
import { installProcess } from './guest/process.ts';
import type { hostCalls } from './host-calls.ts';
import { loadModule, resolveModule } from './module-loader.ts';

/** What is thrown and not caught in a script, as text. */
export class UncaughtError extends Error {}

export interface EngineOptions {
  readonly host: ReturnType<typeof hostCalls>;
  readonly files: CopiedFiles;
  readonly mainFile: ShellText;
  readonly argv: readonly ShellText[];
  readonly environment: ReadonlyMap<ShellText, ShellText>;
  readonly cwd: ShellText;
  readonly memoryBytes: number;
  /** Whether the script has ended the process. */
  readonly hasExited: () => boolean;
}

/** QuickJS with the library of ours. Nothing of it is freed one by one: its memory goes with it. */
export class JsEngine {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #options: EngineOptions;

  private constructor(runtime: QuickJSRuntime, options: EngineOptions) {
    this.#runtime = runtime;
    this.#context = runtime.newContext();
    this.#options = options;
    runtime.setMemoryLimit(Math.floor(options.memoryBytes * 0.75));
    runtime.setInterruptHandler(options.hasExited);
    const { files } = options;
    runtime.setModuleLoader(
      (name) => loadModule(files, { name, exportsOf: (module) => this.#exportsOf(module) }),
      (from, name) => resolveModule(files, { from, name }),
    );
    this.#install();
  }

  static async create(options: EngineOptions): Promise<JsEngine> {
    const quickjs = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'));
    return new JsEngine(quickjs.newRuntime(), options);
  }

  /** Runs the main script, and what it leaves to be done, to its end. @throws UncaughtError */
  async run(source: string, { isModule, prints }: { isModule: boolean; prints: boolean }): Promise<void> {
    const { mainFile } = this.#options;
    const answer = this.#unwrap(
      this.#context.evalCode(source, mainFile, { type: isModule ? 'module' : 'global' }),
    );
    try {
      if (prints) this.#call('__print', answer);
      await this.#runLoop();
      this.#assertFulfilled(answer);
    } finally {
      answer.dispose();
    }
  }

  /** What the script has set, 0 otherwise. */
  get exitCode(): number {
    using code = this.#unwrap(this.#context.evalCode('Number(process.exitCode ?? 0) & 255'));
    return this.#context.getNumber(code);
  }

  async #runLoop(): Promise<void> {
    for (;;) {
      while (this.#runtime.hasPendingJob()) this.#unwrapJobs();
      if (this.#options.hasExited()) return;
      using next = this.#call('__runTimers');
      const delayMs = this.#context.getNumber(next);
      if (delayMs < 0 && !this.#runtime.hasPendingJob()) return;
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }

  #unwrapJobs(): void {
    const result = this.#runtime.executePendingJobs();
    if (result.error && !this.#options.hasExited()) throw this.#uncaught(result.error);
    result.dispose();
  }

  #assertFulfilled(answer: QuickJSHandle): void {
    if (this.#context.typeof(answer) !== 'object') return;
    const state = this.#context.getPromiseState(answer);
    if (state.type === 'rejected') throw this.#uncaught(state.error);
    if (state.type === 'fulfilled' && !state.notAPromise) state.value.dispose();
  }

  #unwrap(result: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (!result.error) return result.value;
    if (this.#options.hasExited()) {
      result.error.dispose();
      return this.#context.undefined;
    }
    throw this.#uncaught(result.error);
  }

  #uncaught(error: QuickJSHandle): UncaughtError {
    const thrown: unknown = this.#context.dump(error);
    error.dispose();
    if (typeof thrown !== 'object' || thrown === null || !('message' in thrown)) {
      return new UncaughtError(`Uncaught ${typeof thrown === 'string' ? thrown : JSON.stringify(thrown)}`);
    }
    const {
      name = 'Error',
      message,
      stack = '',
    } = thrown as { name?: string; message: string; stack?: string };
    return new UncaughtError(`Uncaught ${name}: ${message}\n${stack}`.trimEnd());
  }

  #call(name: string, ...args: QuickJSHandle[]): QuickJSHandle {
    using called = this.#context.getProp(this.#context.global, name);
    return this.#unwrap(this.#context.callFunction(called, this.#context.undefined, ...args));
  }

  #exportsOf(module: string): readonly string[] | undefined {
    const source = `JSON.stringify(__modules[${JSON.stringify(module)}] && Object.keys(__modules[${JSON.stringify(module)}]))`;
    using found = this.#unwrap(this.#context.evalCode(source));
    const names: unknown = this.#context.dump(found);
    return typeof names === 'string' ? (JSON.parse(names) as string[]) : undefined;
  }

  /** Hands the two functions of the host to the library, and runs the library's parts. */
  #install(): void {
    const { mainFile, argv, environment, cwd } = this.#options;
    this.#define('__host', (name, args, bytes) => this.#serve(name, args, bytes));
    this.#define('__evaluate', (source, file) => {
      if (source === undefined || file === undefined) return this.#context.undefined;
      return this.#context.evalCode(this.#context.getString(source), this.#context.getString(file));
    });
    const settings = JSON.stringify({
      argv,
      environment: Object.fromEntries(environment),
      cwd,
      modules: {},
      timers: [],
    });
    const parts = [installBuffer, installConsole, installFileSystem, installProcess].map(
      (part) => `(${part})(library);`,
    );
    const source = `(function () {
      const host = __host;
      const library = ${settings};
      library.evaluate = __evaluate;
      // Scripts have no use for the two.
      delete globalThis.__host;
      delete globalThis.__evaluate;
      library.call = (name, args, bytes) => {
        const answer = host(name, JSON.stringify(args), bytes);
        return typeof answer === 'string' ? JSON.parse(answer) : { value: answer };
      };
      ${parts.join('\n')}
      (${installModules})(library, ${JSON.stringify(mainFile)});
      const hidden = {
        __modules: library.modules,
        __print: (value) => console.log(value),
        __runTimers: () => {
          const due = library.timers.filter((timer) => timer.at <= Date.now()).sort((a, b) => a.at - b.at || a.id - b.id);
          for (const timer of due) {
            const at = library.timers.indexOf(timer);
            if (at < 0) continue;
            if (timer.every === undefined) library.timers.splice(at, 1);
            else timer.at = Date.now() + timer.every;
            timer.run();
            return 0;
          }
          const next = Math.min(...library.timers.map((timer) => timer.at));
          return library.timers.length === 0 ? -1 : Math.max(1, next - Date.now());
        },
      };
      for (const [name, value] of Object.entries(hidden)) Object.defineProperty(globalThis, name, { value });
    })()`;
    this.#unwrap(this.#context.evalCode(source, 'library')).dispose();
  }

  #define(
    name: string,
    serve: (...args: (QuickJSHandle | undefined)[]) => QuickJSHandle | ReturnType<QuickJSContext['evalCode']>,
  ): void {
    using made = this.#context.newFunction(name, (...args) => serve(...args));
    this.#context.setProp(this.#context.global, name, made);
  }

  #serve(name?: QuickJSHandle, args?: QuickJSHandle, bytes?: QuickJSHandle): QuickJSHandle {
    const { host, hasExited } = this.#options;
    if (name === undefined || args === undefined || hasExited())
      return this.#context.newString('{"value":null}');
    const given: unknown = JSON.parse(this.#context.getString(args));
    const answer = host(
      this.#context.getString(name),
      Array.isArray(given) ? given : [],
      bytes && this.#context.typeof(bytes) === 'object' ? this.#bytesOf(bytes) : new Uint8Array(0),
    );
    if (!(answer instanceof Uint8Array)) return this.#context.newString(JSON.stringify(answer));
    return this.#context.newArrayBuffer(answer.slice().buffer);
  }

  #bytesOf(buffer: QuickJSHandle): Uint8Array {
    using lifetime = this.#context.getArrayBuffer(buffer);
    return lifetime.value.slice();
  }
}
