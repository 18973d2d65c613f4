import type { HostBackend } from '../../bridge-server/host-backend.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { CreateOptions, StartOptions } from '../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { SnapshotRef } from '../../protocol/sandbox/refs.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { ArchiveReader, SnapshotImport } from '../../protocol/sandbox/transfer.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { type InventedSnapshot, makeSnapshot } from '../fixtures/page/invented-history.ts';
import { archiveOf, ScriptedSandbox } from './scripted-sandbox.ts';

const firstMs = Date.UTC(2026, 0, 1);

/** Sandboxes in memory that open as often as they are asked to; tests look at each opening. */
export class ScriptedBackend implements HostBackend {
  /** Every opening, with the id of its sandbox. */
  readonly opened: { id: string; sandbox: ScriptedSandbox }[] = [];
  /** Done to a sandbox as it opens. */
  onOpen: (sandbox: ScriptedSandbox) => void = () => {};
  /** What opening waits for. */
  opening: Promise<void> = Promise.resolve();
  makeArchive: () => ArchiveReader = () => archiveOf([]);
  readonly #known = new Map<string, { info: SandboxInfo; root: InventedSnapshot }>();

  /** Adds a sandbox that is stored, and closed. */
  add(name: string, from?: InventedSnapshot): SandboxInfo {
    const number = this.#known.size + 1;
    const createdAtMs = firstMs + number;
    const machine = { image: 'debian', imageDigest: '0'.repeat(64), memoryMiB: 128, diskMiB: 1024 };
    const info: SandboxInfo = { id: `box-${number}`, name, ...machine, runtime: 'jail', createdAtMs };
    const files = new Map([['/etc/hostname', new TextEncoder().encode('toy\n')]]);
    const cause = { type: 'image', image: 'debian' } as const;
    const root = from ?? makeSnapshot(undefined, files, { cause, takenAtMs: createdAtMs });
    this.#known.set(info.id, { info, root });
    return info;
  }

  /** The last opening of a sandbox. */
  sandbox(id: string): ScriptedSandbox {
    const found = this.opened.findLast((each) => each.id === id);
    if (!found) throw new Error(`${id} was never opened`);
    return found.sandbox;
  }

  async create(options: CreateOptions & StartOptions): Promise<SandboxConnection> {
    const { name = 'unnamed', from, metadata, timeoutMs } = options;
    const info = this.add(name, from && this.#find(from.sandbox).root);
    const { root } = this.#find(info.id);
    this.#known.set(info.id, { info: { ...info, ...(metadata ? { metadata } : {}) }, root });
    if (timeoutMs !== undefined) await this.setTimeout({ id: info.id, timeoutMs });
    return this.open({ id: info.id, ...options });
  }

  async open({ id, signal }: StartOptions & { readonly id: string }): Promise<SandboxConnection> {
    const { info, root } = this.#find(id);
    await this.opening;
    if (signal?.aborted) throw new SandboxError('aborted', 'Opening was aborted');
    const forkInto = (from: InventedSnapshot, name: string | undefined) => this.add(name ?? 'fork', from);
    // What another one has saved: here, what it began with.
    const filesOf = (ref: SnapshotRef) => this.#find(ref.sandbox).root.files;
    const sandbox = new ScriptedSandbox(info, [root], { head: root.info.id, forkInto, filesOf });
    this.opened.push({ id, sandbox });
    this.onOpen(sandbox);
    return sandbox;
  }

  async connect({ id }: { readonly id: string }): Promise<SandboxConnection> {
    return this.sandbox(id);
  }

  async exportTar({ id }: { readonly id: string }): Promise<ArchiveReader> {
    this.#find(id);
    return this.makeArchive();
  }

  async openImport(): Promise<SnapshotImport> {
    throw new SandboxError('unsupported', 'A scripted backend takes nothing in');
  }

  async list(): Promise<SandboxInfo[]> {
    return [...this.#known.values()].map(({ info }) => info);
  }

  async findSnapshot(
    reference: string,
    { among }: { among: (sandbox: string) => boolean },
  ): Promise<{ sandbox: string; snapshot: SnapshotId }> {
    for (const [sandbox, { root }] of this.#known) {
      const snapshot = root.info.id;
      if (among(sandbox) && snapshot.startsWith(reference)) return { sandbox, snapshot };
    }
    throw new SandboxError('not-found', `No sandbox has "${reference}"`);
  }

  async expired(nowMs: number): Promise<string[]> {
    const all = await this.list();
    return all.flatMap(({ id, expiresAtMs = nowMs + 1 }) => (expiresAtMs <= nowMs ? [id] : []));
  }

  async setTimeout({
    id,
    timeoutMs,
  }: {
    readonly id: string;
    readonly timeoutMs?: number | undefined;
  }): Promise<SandboxInfo> {
    const { info, root } = this.#find(id);
    const { expiresAtMs: _before, ...rest } = info;
    const moved = timeoutMs === undefined ? rest : { ...rest, expiresAtMs: Date.now() + timeoutMs };
    this.#known.set(id, { info: moved, root });
    return moved;
  }

  async delete({ id }: { readonly id: string }): Promise<void> {
    this.#find(id);
    this.#known.delete(id);
  }

  #find(id: string): { info: SandboxInfo; root: InventedSnapshot } {
    const found = this.#known.get(id);
    if (!found)
      throw new SandboxError('not-found', `There is no sandbox "${id}"`, { details: { sandbox: id } });
    return found;
  }
}
