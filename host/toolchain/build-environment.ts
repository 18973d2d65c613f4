/**
 * What gcc, make and the kernel's makefiles take from the environment and what they make depends on
 * (gcc(1) under ENVIRONMENT, GNU make's manual, Documentation/kbuild/kbuild.rst).
 */
const steering = [
  /^(GCC_EXEC_PREFIX|COMPILER_PATH|CPATH|C_INCLUDE_PATH|LIBRARY_PATH|LD_RUN_PATH)$/,
  /^(DEPENDENCIES_OUTPUT|SUNPRO_DEPENDENCIES|GCC_COMPARE_DEBUG|SOURCE_DATE_EPOCH)$/,
  /^(MAKEFLAGS|MFLAGS|GNUMAKEFLAGS|MAKEFILES|MAKELEVEL|MAKEOVERRIDES)$/,
  /^(ARCH|CROSS_COMPILE|LLVM|LLVM_IAS|LOCALVERSION|K(C|CPP|A)FLAGS|(HOST|USER)(C|LD)FLAGS|HOSTLDLIBS)$/,
  /^(KBUILD|KCONFIG)_/,
];

/**
 * The environment for builds of the kernel and init, without what would change their bytes: it is no
 * part of the names under which they are cached.
 */
export function buildEnvironment(inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(inherited).filter(([name]) => !steering.some((one) => one.test(name)));
  return Object.fromEntries(kept);
}
