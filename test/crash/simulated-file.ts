/** Thrown when the power goes: nothing after it reaches the disk. */
export class PowerCut extends Error {}

/** Answers a number from 0 (inclusive) to `bound` (exclusive). */
export type Choose = (bound: number) => number;

const sectorBytes = 512;

interface Change {
  readonly at: number;
  /** Bytes to write; without them, the file is cut at `at`. */
  readonly bytes?: Uint8Array;
}

/** What a flush has made durable, and what came since: after a power cut any part of that may be there. */
export class SimulatedFile {
  content = new Uint8Array(0);
  durable = new Uint8Array(0);
  changes: Change[] = [];

  apply(change: Change): void {
    this.content = applied(this.content, change);
    this.changes.push(change);
  }

  flush(): void {
    this.durable = this.content;
    this.changes = [];
  }

  /** Sectors reach a disk in any order: each of them is there or not. */
  settle(choose: Choose): void {
    const ends = this.changes.map(({ at, bytes }) => at + (bytes?.length ?? 0));
    const disk = new Uint8Array(Math.max(this.durable.length, ...ends));
    disk.set(this.durable);
    let length = this.durable.length;
    for (const { at, bytes } of this.changes) {
      if (bytes === undefined) {
        if (choose(2) === 0) continue;
        disk.fill(0, at);
        length = at;
        continue;
      }
      for (let from = 0; from < bytes.length; ) {
        const end = Math.min(bytes.length, from + sectorBytes - ((at + from) % sectorBytes));
        if (choose(3) > 0) {
          disk.set(bytes.subarray(from, end), at + from);
          length = Math.max(length, at + end);
        }
        from = end;
      }
    }
    this.durable = disk.slice(0, length);
    this.content = this.durable;
    this.changes = [];
  }
}

function applied(content: Uint8Array, { at, bytes }: Change): Uint8Array<ArrayBuffer> {
  const length = bytes === undefined ? at : Math.max(content.length, at + bytes.length);
  const next = new Uint8Array(length);
  next.set(content.subarray(0, length));
  if (bytes) next.set(bytes, at);
  return next;
}
