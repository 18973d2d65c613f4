/** Stands in for `runtimes/v86/compiled-code.ts` in the site that ours is compared with: v86 compiles by its own settings. */
export function limitCompiledCode(): void {}
