import type { SandboxBackend } from '../sandbox/backend.ts';
import { backendTable } from '../sandbox/backend-table.ts';
import type { SandboxFacets } from '../sandbox/connection.ts';
import type { ProcessHandle } from '../sandbox/processes.ts';
import type { AnyRow } from '../sandbox/row.ts';
import { sandboxTables } from '../sandbox/tables.ts';

/** Of a backend, such as `backend.create`. */
export type BackendMethod = `backend.${keyof SandboxBackend}`;
/** Of a sandbox: a facet and a method of it, such as `files.read`. */
export type SandboxMethod = {
  [F in keyof SandboxFacets]: `${F}.${keyof SandboxFacets[F] & string}`;
}[keyof SandboxFacets];

/** What a client asks of the backend. What the method makes, and its stream, have the id of the request. */
export interface BackendRequest {
  readonly method: BackendMethod;
  readonly ask?: object;
}

/** What a client asks of a sandbox; `on` is the id of a connection. `bytes` of what is asked are the message's. */
export interface SandboxRequest {
  readonly method: SandboxMethod;
  readonly on: number;
  readonly ask?: object;
}

/** `on` is the id of a process. */
export type ProcessRequest = { readonly on: number } /** What is written is the message's bytes. */ & (
  | { readonly method: 'process.write' }
  | { readonly method: 'process.closeStdin' }
  | { readonly method: 'process.resize'; readonly columns: number; readonly rows: number }
  | { readonly method: 'process.kill'; readonly signal?: NonNullable<Parameters<ProcessHandle['kill']>[0]> }
);

/** `on` is the id of a byte stream. */
export type StreamRequest = { readonly on: number } /** What is written is the message's bytes. */ & (
  | { readonly method: 'stream.write' }
  | { readonly method: 'stream.end' }
);

/** `on` is the id of an import. */
export type ImportRequest = { readonly on: number } /** What is written is the message's bytes. */ & (
  | { readonly method: 'import.write' }
  /** The import is no handle any more, whether it succeeds or not. */
  | { readonly method: 'import.finish' }
);

/** Closes a connection, a byte stream, an archive, an import or a subscription, and what was made through it. */
interface CloseRequest {
  readonly method: 'close';
  readonly on: number;
  /** Of a connection: as `CloseOptions` has it. */
  readonly discard?: boolean;
}

/** Prolongs the client's access, where WELCOME said that this can be. */
interface RenewRequest {
  readonly method: 'session.renew';
}

/** Everything that a client may ask. */
export type WireRequest =
  | RenewRequest
  | BackendRequest
  | SandboxRequest
  | ProcessRequest
  | StreamRequest
  | ImportRequest
  | CloseRequest;

const tables: Readonly<Record<string, object>> = { backend: backendTable, ...sandboxTables };

/** The row of a method of a backend or a sandbox; `undefined` of one that is in no table. */
export function rowOf(method: string): AnyRow | undefined {
  const { facet, name } = partsOf(method);
  const table = Object.hasOwn(tables, facet) ? (tables[facet] as Readonly<Record<string, AnyRow>>) : {};
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The facet, or `backend`, and the name of the method in it. */
export function partsOf(method: string): { readonly facet: string; readonly name: string } {
  const dot = method.indexOf('.');
  return { facet: method.slice(0, Math.max(dot, 0)), name: method.slice(dot + 1) };
}

/** What a server knows: each method of the tables, with the fields that it takes. */
export function describeMethods(): Record<string, readonly string[]> {
  const described: Record<string, readonly string[]> = {};
  for (const [facet, table] of Object.entries(tables)) {
    for (const [name, { ask, takesBytes }] of Object.entries(table as Readonly<Record<string, AnyRow>>)) {
      described[`${facet}.${name}`] = [...(ask.fields ?? []), ...(takesBytes ? ['bytes'] : [])];
    }
  }
  return described;
}
