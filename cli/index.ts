// The SDK in Node: without a bridge, `Sandbox.create()` makes a shell in this process, and `create({ runtime: 'jail' })` a jail of this host.
import { setDefaultBackend } from '../sdk/sandbox.ts';
import { nodeBackend } from './in-process/node-backend.ts';
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

setDefaultBackend(nodeBackend(shellBackend()));
