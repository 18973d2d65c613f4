/** Runtimes in which Node creates sandboxes on this host. */
export const nodeRuntimes: readonly ['shell', 'jail'] = ['shell', 'jail'];
