/** A device number as Linux has it in 32 bits: 12 of major, 20 of minor (linux/kdev_t.h, new_encode_dev). */
export function makeDevice(major: number, minor: number): number {
  return ((minor & 0xff) | ((major & 0xfff) << 8) | ((minor & 0xfff00) << 12)) >>> 0;
}

/** The major part of a device number. */
export function majorOf(device: number): number {
  return (device >>> 8) & 0xfff;
}

/** The minor part of a device number. */
export function minorOf(device: number): number {
  return (device & 0xff) | ((device >>> 12) & 0xfff00);
}
