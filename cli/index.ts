// The SDK in Node: without a bridge, `Sandbox.create()` makes a shell in this process.
import { setDefaultBackend } from '../sdk/sandbox.ts';
import { shellBackend } from './shell-backend.ts';

export type {
  CommandFiles,
  CommandInput,
  CommandOutput,
  ScriptTransform,
  ShellBackendOptions,
  ShellCommand,
  ShellCommandCall,
} from '../runtimes/shell/shell-backend.ts';
export * from '../sdk/index.ts';
export { shellBackend } from './shell-backend.ts';

setDefaultBackend(shellBackend());
