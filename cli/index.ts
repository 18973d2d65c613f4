// The SDK in Node: without a bridge, `Sandbox.create()` makes a shell in this process.
import { shellBackend } from '../runtimes/shell/shell-backend.ts';
import { setDefaultBackend } from '../sdk/sandbox.ts';

export {
  type CommandFiles,
  type CommandInput,
  type CommandOutput,
  type ScriptTransform,
  type ShellBackendOptions,
  type ShellCommand,
  type ShellCommandCall,
  shellBackend,
} from '../runtimes/shell/shell-backend.ts';
export * from '../sdk/index.ts';

setDefaultBackend(shellBackend());
