/** Bounds of memory images, for what comes from elsewhere. */
export const memoryLimits = {
  /** Pages of 4 KiB in one bundle: 4 MiB. */
  bundlePages: 1_024,
  /** Pages that are packed together: half of what an LZ4 block of the page kernels can be of. */
  blockPages: 8,
  /** When an image has more bundles, or most of one is of no use any more, what is left of the poorest is written anew. */
  usualBundles: 32,
  /** Everything of an image but its pages, before compression. */
  bodyBytes: 16_777_216,
  /** Lists in lists of a device's state. */
  depth: 32,
  /** Arrays of this many bytes, and more, are kept as pages. */
  largeArrayBytes: 16_384,
  /** RAM of a machine: 1 GiB. */
  pages: 262_144,
  terminals: 64,
  terminalBytes: 1_048_576,
} as const;
