import type { LiveCpu } from './live-internals.ts';

/** Told of a range of physical memory. */
export type OnAccess = (address: number, sizeBytes: number) => void;

const reads = [
  ['read8', 1],
  ['read16', 2],
  ['read32s', 4],
] as const;
const writes = [
  ['write8', 1],
  ['write16', 2],
  ['write32', 4],
] as const;

/** Tells of what devices read (virtio's rings, DMA), which goes past the guest's page tables, each time before they do. */
export function watchDeviceReads(cpu: LiveCpu, onRead: OnAccess): void {
  for (const [name, sizeBytes] of reads) {
    const read = cpu[name];
    cpu[name] = (address) => {
      onRead(address, sizeBytes);
      return read.call(cpu, address);
    };
  }
  const { read_blob: readBlob } = cpu;
  cpu.read_blob = (address, sizeBytes) => {
    if (sizeBytes > 0) onRead(address, sizeBytes);
    return readBlob.call(cpu, address, sizeBytes);
  };
}

/** The same of what they write. */
export function watchDeviceWrites(cpu: LiveCpu, onWrite: OnAccess): void {
  for (const [name, sizeBytes] of writes) {
    const write = cpu[name];
    cpu[name] = (address, value) => {
      onWrite(address, sizeBytes);
      write.call(cpu, address, value);
    };
  }
  const { write_blob: writeBlob } = cpu;
  cpu.write_blob = (bytes, address) => {
    if (bytes.length > 0) onWrite(address, bytes.length);
    writeBlob.call(cpu, bytes, address);
  };
}
