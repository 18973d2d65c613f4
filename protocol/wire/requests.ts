import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { RecordingOptions } from '../recording.ts';
import type {
  CheckoutOptions,
  CreateOptions,
  ExecRequest,
  IntakeOptions,
  OpenOptions,
  ProcessHandle,
  SnapshotRef,
  TreeRef,
} from '../sandbox.ts';

/** What a client may ask that concerns no sandbox it holds. */
export type BackendRequest =
  /** Makes a connection of the request's id; its progress is the stream of that id. */
  | { readonly method: 'backend.create'; readonly options: CreateOptions }
  | { readonly method: 'backend.open'; readonly id: string; readonly options: OpenOptions }
  | { readonly method: 'backend.connect'; readonly id: string }
  /** Makes an archive of the request's id; its pieces are the stream of that id. */
  | { readonly method: 'backend.exportTar'; readonly id: string; readonly at?: string }
  /** Makes an intake of the request's id. */
  | { readonly method: 'backend.openIntake'; readonly options: IntakeOptions }
  | { readonly method: 'backend.list' }
  | { readonly method: 'backend.images' }
  | { readonly method: 'backend.delete'; readonly id: string }
  /** Without `timeoutMs`, it has no end. */
  | { readonly method: 'backend.setTimeout'; readonly id: string; readonly timeoutMs?: number };

/** `on` is the id of a connection. */
export type ConnectionRequest = { readonly on: number } & (
  | { readonly method: 'sandbox.info' }
  /** Makes a process of the request's id; its output is the stream of that id. */
  | { readonly method: 'sandbox.exec'; readonly request: ExecRequest }
  | { readonly method: 'sandbox.readFile'; readonly path: string; readonly at?: TreeRef }
  /** The content is the message's bytes. */
  | { readonly method: 'sandbox.writeFile'; readonly path: string; readonly mode?: number }
  | { readonly method: 'sandbox.listFiles'; readonly path: string; readonly at?: TreeRef }
  | { readonly method: 'sandbox.statFile'; readonly path: string; readonly at?: TreeRef }
  | { readonly method: 'sandbox.makeDirectory'; readonly path: string }
  | { readonly method: 'sandbox.removeFile'; readonly path: string }
  | { readonly method: 'sandbox.renameFile'; readonly from: string; readonly to: string }
  | { readonly method: 'sandbox.history' }
  | {
      readonly method: 'sandbox.createSnapshot';
      readonly label?: string;
      readonly ifChanged?: boolean;
      readonly memory?: boolean;
    }
  | { readonly method: 'sandbox.checkout'; readonly id: SnapshotId; readonly options?: CheckoutOptions }
  | { readonly method: 'sandbox.fork'; readonly id: SnapshotId; readonly name?: string }
  | { readonly method: 'sandbox.recording' }
  | { readonly method: 'sandbox.setRecording'; readonly options: RecordingOptions }
  | { readonly method: 'sandbox.screenAt'; readonly moment: number; readonly pid: number }
  | { readonly method: 'sandbox.goToMoment'; readonly id: number }
  | { readonly method: 'sandbox.diff'; readonly from: TreeRef; readonly to: TreeRef | SnapshotRef }
  /** Without `id`, the tag is taken away. */
  | { readonly method: 'sandbox.setTag'; readonly name: string; readonly id?: SnapshotId }
  | { readonly method: 'sandbox.deleteSnapshot'; readonly id: SnapshotId }
  | { readonly method: 'sandbox.collectGarbage' }
  /** Makes an archive of the request's id. */
  | { readonly method: 'sandbox.exportTar'; readonly at: TreeRef; readonly path?: string }
  /** Makes an archive of the request's id, whose pieces are a stream of objects. */
  | { readonly method: 'sandbox.openParcel'; readonly id: SnapshotId; readonly have?: readonly SnapshotId[] }
  /** Makes an intake of the request's id. */
  | { readonly method: 'sandbox.openIntake' }
  | { readonly method: 'sandbox.storage' }
  | { readonly method: 'sandbox.networkLog' }
  | { readonly method: 'sandbox.report' }
  /** Makes a subscription of the request's id; its events are the stream of that id. */
  | { readonly method: 'sandbox.subscribe'; readonly after: number }
);

/** `on` is the id of a process. */
export type ProcessRequest = { readonly on: number } /** What is written is the message's bytes. */ & (
  | { readonly method: 'process.write' }
  | { readonly method: 'process.closeStdin' }
  | { readonly method: 'process.resize'; readonly columns: number; readonly rows: number }
  | { readonly method: 'process.kill'; readonly signal?: NonNullable<Parameters<ProcessHandle['kill']>[0]> }
);

/** `on` is the id of an intake. */
export type IntakeRequest = { readonly on: number } /** What is written is the message's bytes. */ & (
  | { readonly method: 'intake.write' }
  /** The intake is no handle any more, whether it succeeds or not. */
  | { readonly method: 'intake.finish' }
);

/** Lets go of a connection, an archive, an intake or a subscription, and of what was made through it. */
type CloseRequest = { readonly method: 'close'; readonly on: number };

/** Has the time prolonged for which the client is let in, where WELCOME said that this can be. */
type RenewRequest = { readonly method: 'session.renew' };

/** Everything that a client may ask. */
export type WireRequest =
  | RenewRequest
  | BackendRequest
  | ConnectionRequest
  | ProcessRequest
  | IntakeRequest
  | CloseRequest;

/** Requests that carry bytes beside their JSON. */
export const requestsWithBytes: ReadonlySet<WireRequest['method']> = new Set([
  'sandbox.writeFile',
  'process.write',
  'intake.write',
]);
