/**
 * What pages of one origin say to the switchboard (a SharedWorker), which only passes ports on:
 * `serve` and `unserve` say which sandboxes a page has open; `connect` carries a port for one of
 * them, which the page that serves it gets, or which is answered `absent`.
 */
export type SwitchboardMessage =
  | { readonly type: 'serve' | 'unserve' | 'connect'; readonly id: string }
  | { readonly type: 'absent' };
