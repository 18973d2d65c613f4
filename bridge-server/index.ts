// `coppice/bridge`: this machine's sandboxes in a program of one's own, served to others or not.

export { openHostToRead, type ReadHost } from './main/open-host-to-read.ts';
export { type LocalHost, type LocalHostOptions, openLocalHost } from './main/open-local-host.ts';
export { type RunningBridge, type RunOptions, runBridge } from './main/run-bridge.ts';
