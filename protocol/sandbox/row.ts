import type { Schema } from '../schema.ts';
import type { SandboxConnection } from './connection.ts';
import type { ByteStream } from './network.ts';
import type { ProcessHandle } from './processes.ts';
import type { ProgressListener } from './progress.ts';
import type { ArchiveReader, SnapshotExport, SnapshotImport } from './transfer.ts';

/** What a method does to its sandbox: a token for reading may call only those that read. */
type Access = 'read' | 'write' | 'run';

/**
 * What a method makes that outlives the call, and that whoever called it has to let go of. Each kind is code: one file
 * for each transport.
 */
type HandleKind = 'connection' | 'process' | 'stream' | 'archive' | 'import' | 'subscription';

interface CommonRow<Ask> {
  readonly access: Access;
  /** `all`: only for tokens that see every sandbox, as the call makes others. */
  readonly scope?: 'all';
  /** What it is asked with, but for `bytes`, which go beside JSON, and `signal`, which is a message of its own. */
  readonly ask: Schema<Omit<Ask, 'bytes' | 'signal'>>;
}

/** Whether a method takes `bytes`, and a `signal` that gives the call up. */
type Takes<Ask> = ('bytes' extends keyof Ask
  ? { readonly takesBytes: true }
  : { readonly takesBytes?: never }) &
  ('signal' extends keyof Ask ? { readonly takesSignal: true } : { readonly takesSignal?: never });

/** Whether a method that gives JSON tells its listener of progress until then. */
type Tells<Parameters extends readonly unknown[]> = Parameters extends readonly [unknown, ProgressListener]
  ? { readonly tellsProgress: true }
  : { readonly tellsProgress?: never };

/** What comes back: bytes, a handle, or what can be said in JSON. */
type Gives<Result, Parameters extends readonly unknown[]> = [Result] extends [Uint8Array]
  ? { readonly gives: 'bytes' }
  : [Result] extends [SandboxConnection]
    ? { readonly gives: 'connection' }
    : [Result] extends [ProcessHandle]
      ? { readonly gives: 'process' }
      : // A stream can be read and closed as an archive can, so it is looked for first.
        [Result] extends [ByteStream]
        ? { readonly gives: 'stream' }
        : [Result] extends [ArchiveReader | SnapshotExport]
          ? { readonly gives: 'archive' }
          : [Result] extends [SnapshotImport<infer Made>]
            ? { readonly gives: 'import'; readonly made: Schema<Made> }
            : [Result] extends [() => void]
              ? { readonly gives: 'subscription' }
              : {
                  readonly gives: 'json';
                  readonly answer: Schema<Awaited<Result> extends void ? undefined : Result>;
                } & Tells<Parameters>;

// biome-ignore lint/suspicious/noExplicitAny: any method, whatever it takes.
type Method = (...parameters: any[]) => Promise<unknown>;
type AskOf<M extends Method> = Parameters<M> extends [] ? object : NonNullable<Parameters<M>[0]>;

/** The description of one method. A wrong kind of handle, or a field that the schema lacks, does not compile. */
type Row<M> =
  NonNullable<M> extends Method
    ? CommonRow<AskOf<NonNullable<M>>> &
        Takes<AskOf<NonNullable<M>>> &
        Gives<Awaited<ReturnType<NonNullable<M>>>, Parameters<NonNullable<M>>>
    : never;

/** The description of a facet: a row for each of its methods. */
export type Table<Facet> = { readonly [K in keyof Facet]-?: Row<Facet[K]> };

/** A row as loops over tables see it, which know no method by name. */
export type AnyRow = {
  readonly access: Access;
  readonly scope?: 'all';
  readonly ask: Schema<object>;
  readonly takesBytes?: true;
  readonly takesSignal?: true;
} & (
  | { readonly gives: 'json'; readonly answer: Schema<unknown>; readonly tellsProgress?: true }
  /** `made`: what it makes in the end. */
  | { readonly gives: 'import'; readonly made: Schema<unknown> }
  | { readonly gives: 'bytes' | Exclude<HandleKind, 'import'> }
);
