/** What memory images of this runtime are good for: the state of devices means what this version and this module mean by it. */
export const memoryRuntime = {
  name: 'v86',
  version: '0.5.462',
  /** SHA-256 of v86.wasm as it comes, whose addresses `watchWrites` knows. */
  module: 'aa0d0e149d6b60063b85de4871e78505637ce92821e14a9f9802c4008ba2336e',
} as const;
