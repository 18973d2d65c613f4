export type * from '../protocol/api-token.ts';
export type { RestoreTarOptions } from '../protocol/archive/restore-tar.ts';
export type { UnpackedArchive, UnpackOptions } from '../protocol/archive/unpack-archive.ts';
export { type ErrorCode, SandboxError } from '../protocol/errors.ts';
export type { ProcessList, ProcessState, SandboxProcess } from '../protocol/list-processes.ts';
export type * from '../protocol/network-log.ts';
export type * from '../protocol/sandbox/backend.ts';
export type * from '../protocol/sandbox/checkpoints.ts';
export type * from '../protocol/sandbox/connection.ts';
export type * from '../protocol/sandbox/events.ts';
export type * from '../protocol/sandbox/files.ts';
export type * from '../protocol/sandbox/git.ts';
export type * from '../protocol/sandbox/history.ts';
export type * from '../protocol/sandbox/info.ts';
export type * from '../protocol/sandbox/network.ts';
export type * from '../protocol/sandbox/processes.ts';
export type * from '../protocol/sandbox/progress.ts';
export { type RanCommand, ranCommands } from '../protocol/sandbox/ran-commands.ts';
export type * from '../protocol/sandbox/recording.ts';
export type * from '../protocol/sandbox/refs.ts';
export type * from '../protocol/sandbox/sandbox-info.ts';
export type * from '../protocol/sandbox/shells.ts';
export { stoppedMs } from '../protocol/sandbox/stop.ts';
export type * from '../protocol/sandbox/transfer.ts';
export type * from '../protocol/sandbox-report.ts';
export { Archive } from './archive.ts';
export { BridgeTokens } from './bridge-tokens.ts';
export { SandboxCheckpoints } from './checkpoints.ts';
export type { HookedCommand, SandboxHooks, Violation } from './command-hooks.ts';
export { type CommandHandle, type CommandResult, Commands, type RunOptions } from './commands.ts';
export { type BridgeAddress, type BridgeConnection, connect } from './connect.ts';
export type { CopyOptions } from './copy-sandbox.ts';
export { Files } from './files.ts';
export { type CloneOptions, type ExchangeOptions, type FetchOptions, Git, type PushOptions } from './git.ts';
export {
  exportGit,
  type GitExport,
  type GitExportOptions,
  type OmittedPath,
} from './git-history/export-git.ts';
export { type GitImport, type GitImportOptions, importGit } from './git-history/import-git.ts';
export { History } from './history.ts';
export { Network, PortConnection } from './network.ts';
export type { OpenSandbox } from './open-sandbox.ts';
export { Pty, type PtyHandle, type PtyOptions } from './pty.ts';
export {
  chooseRuntime,
  type RuntimeChoice,
  type RuntimeNeeds,
  type RuntimeOffer,
} from './routing/choose-runtime.ts';
export type { NamedPlace, Place, PlaceChoice, StandbyBackend } from './routing/place.ts';
export type { BroughtBack } from './routing/remote-replica.ts';
export type { RunTarget, TaskRoute } from './routing/route-task.ts';
export { RoutedShell } from './routing/routed-shell.ts';
export type * from './routing/routed-shell-options.ts';
export type { RoutedResult, RoutedRunOptions } from './routing/run-routed.ts';
export { type ConnectOptions, Sandbox, setDefaultBackend } from './sandbox.ts';
export { type RecordOptions, SandboxRecording } from './sandbox-recording.ts';
export type { Session } from './session.ts';
export { type ShellContext, shellAt } from './shell-context.ts';
export { type OpenShellOptions, Shell, type ShellRunOptions } from './shells.ts';
export { setTelemetry, type Telemetry } from './telemetry.ts';
export type { TokenSupplier } from './token-source.ts';
export type { JudgeText } from './tournament/judge.ts';
export type {
  Candidate,
  TournamentKeep,
  TournamentOptions,
  TournamentPlace,
} from './tournament/tournament-options.ts';
export type * from './tournament/tournament-report.ts';
