export { type ErrorCode, SandboxError } from '../protocol/errors.ts';
export type * from '../protocol/sandbox.ts';
export { Archive } from './archive.ts';
export { type CommandHandle, type CommandResult, Commands, type RunOptions } from './commands.ts';
export { type BridgeAddress, connect } from './connect.ts';
export { Files } from './files.ts';
export { History } from './history.ts';
export { Pty, type PtyHandle, type PtyOptions } from './pty.ts';
export { type ConnectOptions, type CopyOptions, Sandbox, setDefaultBackend } from './sandbox.ts';
