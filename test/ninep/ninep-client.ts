import type { NinePServer } from '../../tree/ninep/ninep-server.ts';
import { Message } from './message.ts';
import { type Qid, Reply } from './reply.ts';

export interface Attributes {
  readonly valid: number;
  readonly qid: Qid;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly nlink: number;
  readonly rdev: number;
  readonly sizeBytes: number;
  readonly blocks: number;
  readonly atime: readonly [seconds: number, nanoseconds: number];
  readonly mtime: readonly [seconds: number, nanoseconds: number];
  readonly ctime: readonly [seconds: number, nanoseconds: number];
  readonly dataVersion: number;
}

export interface Entry {
  readonly qid: Qid;
  readonly offset: number;
  readonly type: number;
  readonly name: string;
}

export interface LockRequest {
  readonly type: number;
  readonly flags?: number;
  readonly start: number | bigint;
  readonly length: number | bigint;
  readonly processId: number;
  readonly clientId: string;
}

/** The members of Tsetattr that are given, with the valid bits Linux sets for them. */
export interface AttributeRequest {
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly sizeBytes?: number | bigint;
  readonly atime?: readonly [seconds: number, nanoseconds: number] | 'now';
  readonly mtime?: readonly [seconds: number, nanoseconds: number] | 'now';
  /** Only our guest's kernel sends it, and never with an atime. */
  readonly ctime?: readonly [seconds: number, nanoseconds: number];
}

/** A 9P2000.L client that sends what Linux 6.1 sends. Every method throws `NinePError` on Rlerror. */
export class NinePClient {
  readonly #server: NinePServer;
  readonly #messageBytes: number;
  #nextFid = 1;

  /** Agrees on a version; attach next. */
  constructor(server: NinePServer, messageBytes = 262_144) {
    this.#server = server;
    const reply = this.send(new Message('version', 0xffff).u32(messageBytes).text('9P2000.L'));
    this.#messageBytes = reply.u32();
  }

  send(message: Message): Reply {
    return new Reply(this.#server.handle(message.finish()));
  }

  /** A fid on the root for the user `uid`, as for the first access of each user with access=client. */
  attach(uid = 0): number {
    const fid = this.#nextFid++;
    this.send(new Message('attach').u32(fid).u32(0xffff_ffff).text('').text('').u32(uid)).qid();
    return fid;
  }

  walk(fid: number, ...names: string[]): number {
    const target = this.#nextFid++;
    const message = new Message('walk').u32(fid).u32(target).u16(names.length);
    for (const name of names) message.text(name);
    const reply = this.send(message);
    // As p9_client_walk: a walk that stopped halfway made no fid.
    if (reply.u16() !== names.length) throw new Error('ENOENT');
    return target;
  }

  clunk(fid: number): void {
    this.send(new Message('clunk').u32(fid)).end(undefined);
  }

  getattr(fid: number): Attributes {
    const reply = this.send(new Message('getattr').u32(fid).u64(0x3fff));
    const valid = reply.u64();
    const qid = reply.qid();
    const [mode, uid, gid] = [reply.u32(), reply.u32(), reply.u32()];
    const [nlink, rdev, sizeBytes] = [reply.u64(), reply.u64(), reply.u64()];
    reply.u64(); // block size
    const blocks = reply.u64();
    const atime = [reply.u64(), reply.u64()] as const;
    const mtime = [reply.u64(), reply.u64()] as const;
    const ctime = [reply.u64(), reply.u64()] as const;
    reply.data(24);
    const dataVersion = reply.u64();
    return reply.end({
      valid,
      qid,
      mode,
      uid,
      gid,
      nlink,
      rdev,
      sizeBytes,
      blocks,
      atime,
      mtime,
      ctime,
      dataVersion,
    });
  }

  setattr(fid: number, change: AttributeRequest): void {
    const { mode, uid, gid, sizeBytes, atime, mtime, ctime } = change;
    const time = (value: AttributeRequest['atime']): readonly [number, number] =>
      value === undefined || value === 'now' ? [0, 0] : value;
    const bit = (value: unknown, flag: number): number => (value === undefined ? 0 : flag);
    const set = (value: AttributeRequest['atime'], flag: number): number =>
      value === undefined || value === 'now' ? 0 : flag;
    const valid =
      bit(mode, 1) | bit(uid, 2) | bit(gid, 4) | bit(sizeBytes, 8) | bit(atime, 16) | bit(mtime, 32) | 64;
    this.send(
      new Message('setattr')
        .u32(fid)
        .u32(valid | set(atime, 128) | set(mtime, 256) | set(ctime, 512))
        .u32(mode ?? 0)
        .u32(uid ?? 0xffff_ffff)
        .u32(gid ?? 0xffff_ffff)
        .u64(sizeBytes ?? 0)
        .u64(time(ctime ?? atime)[0])
        .u64(time(ctime ?? atime)[1])
        .u64(time(mtime)[0])
        .u64(time(mtime)[1]),
    ).end(undefined);
  }

  open(fid: number, flags: number): void {
    const reply = this.send(new Message('lopen').u32(fid).u32(flags));
    reply.qid();
    reply.u32();
    reply.end(undefined);
  }

  /** Turns `fid`, a directory, into the open new file. */
  create(fid: number, name: string, options: { flags: number; mode: number; gid?: number }): Qid {
    const { flags, mode, gid = 0 } = options;
    return this.send(new Message('lcreate').u32(fid).text(name).u32(flags).u32(mode).u32(gid)).qid();
  }

  read(fid: number, offset: number | bigint, count: number): Uint8Array {
    const reply = this.send(new Message('read').u32(fid).u64(offset).u32(count));
    return reply.end(reply.data(reply.u32()));
  }

  write(fid: number, offset: number | bigint, content: Uint8Array | string): number {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const reply = this.send(new Message('write').u32(fid).u64(offset).u32(bytes.length).data(bytes));
    return reply.end(reply.u32());
  }

  /** One Treaddir. */
  readdir(fid: number, offset: number, count = this.#messageBytes - 24): Entry[] {
    const reply = this.send(new Message('readdir').u32(fid).u64(offset).u32(count));
    const total = reply.u32();
    if (total !== reply.remaining || total > count) throw new RangeError('Rreaddir has a wrong count');
    const entries: Entry[] = [];
    while (reply.remaining > 0) {
      entries.push({ qid: reply.qid(), offset: reply.u64(), type: reply.u8(), name: reply.text() });
    }
    return entries;
  }

  mkdir(fid: number, name: string, options: { mode: number; gid?: number }): Qid {
    return this.send(
      new Message('mkdir')
        .u32(fid)
        .text(name)
        .u32(options.mode)
        .u32(options.gid ?? 0),
    ).qid();
  }

  symlink(fid: number, name: string, target: string): Qid {
    return this.send(new Message('symlink').u32(fid).text(name).text(target).u32(0)).qid();
  }

  mknod(fid: number, name: string, options: { mode: number; major: number; minor: number }): Qid {
    const { mode, major, minor } = options;
    return this.send(new Message('mknod').u32(fid).text(name).u32(mode).u32(major).u32(minor).u32(0)).qid();
  }

  readlink(fid: number): string {
    const reply = this.send(new Message('readlink').u32(fid));
    return reply.end(reply.text());
  }

  link(directory: number, fid: number, name: string): void {
    this.send(new Message('link').u32(directory).u32(fid).text(name)).end(undefined);
  }

  unlink(directory: number, name: string, flags = 0): void {
    this.send(new Message('unlinkat').u32(directory).text(name).u32(flags)).end(undefined);
  }

  rmdir(directory: number, name: string): void {
    this.unlink(directory, name, 0x200);
  }

  renameat(from: number, fromName: string, to: number, toName: string): void {
    this.send(new Message('renameat').u32(from).text(fromName).u32(to).text(toName)).end(undefined);
  }

  statfs(fid: number): { blocks: number; bfree: number; files: number; ffree: number; nameBytes: number } {
    const reply = this.send(new Message('statfs').u32(fid));
    reply.data(8);
    const [blocks, bfree] = [reply.u64(), reply.u64()];
    reply.u64();
    const [files, ffree] = [reply.u64(), reply.u64()];
    reply.u64();
    return reply.end({ blocks, bfree, files, ffree, nameBytes: reply.u32() });
  }

  /** The status of Rlock. */
  lock(fid: number, lock: LockRequest): number {
    const reply = this.send(
      new Message('lock')
        .u32(fid)
        .u8(lock.type)
        .u32(lock.flags ?? 0)
        .u64(lock.start)
        .u64(lock.length)
        .u32(lock.processId)
        .text(lock.clientId),
    );
    return reply.end(reply.u8());
  }

  getlock(fid: number, lock: LockRequest): LockRequest {
    const reply = this.send(
      new Message('getlock')
        .u32(fid)
        .u8(lock.type)
        .u64(lock.start)
        .u64(lock.length)
        .u32(lock.processId)
        .text(lock.clientId),
    );
    const [type, start, length] = [reply.u8(), reply.u64(), reply.u64()];
    return reply.end({ type, start, length, processId: reply.u32(), clientId: reply.text() });
  }

  /** As v9fs_fid_xattr_get: the value of `name`, or with '' the list of names. */
  getXattr(fid: number, name: string): Uint8Array {
    const target = this.#nextFid++;
    const reply = this.send(new Message('xattrwalk').u32(fid).u32(target).text(name));
    const sizeBytes = reply.end(reply.u64());
    const bytes = this.read(target, 0, sizeBytes);
    this.clunk(target);
    return bytes;
  }

  /** As v9fs_fid_xattr_set: clone, create, write, and the clunk commits. */
  setXattr(fid: number, name: string, value: Uint8Array, flags = 0): void {
    const target = this.walk(fid);
    try {
      const create = new Message('xattrcreate').u32(target).text(name).u64(value.length).u32(flags);
      this.send(create).end(undefined);
      if (value.length > 0) this.write(target, 0, value);
    } catch (error) {
      this.clunk(target);
      throw error;
    }
    this.clunk(target);
  }

  removeXattr(fid: number, name: string): void {
    this.setXattr(fid, name, new Uint8Array(0), 2);
  }
}
