/**
 * The few globals that portable folders (tree, protocol, shell, sdk, runtimes/v86) rely on:
 * present in browsers, workers and Node alike. Adding one here is a decision, not a convenience.
 */

declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
}

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes?: ArrayBufferView | ArrayBuffer, options?: { stream?: boolean }): string;
}

/** Base64 (RFC 4648, 4) of characters that are bytes. */
declare function atob(text: string): string;
declare function btoa(bytes: string): string;

declare const performance: {
  now(): number;
  readonly timeOrigin: number;
  mark(name: string, options: { detail: unknown }): void;
  clearMarks(name: string): void;
};

declare const crypto: {
  getRandomValues<T extends ArrayBufferView>(into: T): T;
  randomUUID(): string;
};

interface EventTarget {
  addEventListener(
    type: string,
    listener: () => void,
    options?: { once?: boolean; signal?: AbortSignal },
  ): void;
  removeEventListener(type: string, listener: () => void): void;
}

interface AbortSignal extends EventTarget {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
}
declare const AbortSignal: {
  prototype: AbortSignal;
  timeout(milliseconds: number): AbortSignal;
  any(signals: Iterable<AbortSignal>): AbortSignal;
};
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

type TimerHandle = number | object;
declare function setTimeout(callback: () => void, delayMs?: number): TimerHandle;
declare function clearTimeout(handle: TimerHandle | undefined): void;
declare function setInterval(callback: () => void, delayMs?: number): TimerHandle;
declare function clearInterval(handle: TimerHandle | undefined): void;
declare function queueMicrotask(callback: () => void): void;

/** How many processors there are, of browsers and of Node. */
declare const navigator: { readonly hardwareConcurrency: number };

/** For what nobody waits for and nobody is told of otherwise. */
declare const console: { info(...data: unknown[]): void; warn(...data: unknown[]): void };

/** Bytes that go into a stream and come out of it changed. */
interface ByteTransform {
  readonly readable: {
    getReader(): {
      read(): Promise<{ done: false; value: Uint8Array } | { done: true; value: undefined }>;
      cancel(): Promise<void>;
    };
  };
  readonly writable: {
    getWriter(): {
      readonly ready: Promise<unknown>;
      write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
      close(): Promise<void>;
      abort(reason: unknown): Promise<void>;
    };
  };
}

declare class CompressionStream implements ByteTransform {
  constructor(format: 'gzip');
  readonly readable: ByteTransform['readable'];
  readonly writable: ByteTransform['writable'];
}

declare class DecompressionStream implements ByteTransform {
  constructor(format: 'gzip');
  readonly readable: ByteTransform['readable'];
  readonly writable: ByteTransform['writable'];
}

/** What is read of an answer to `fetch`. */
interface FetchedAnswer {
  readonly type: string;
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: { forEach(visit: (value: string, name: string) => void): void };
  readonly body: {
    getReader(): {
      read(): Promise<{ done: false; value: Uint8Array } | { done: true; value?: undefined }>;
      cancel(): Promise<void>;
    };
    cancel(): Promise<void>;
  } | null;
}
declare function fetch(
  url: string,
  options: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array<ArrayBuffer> | undefined;
    readonly redirect: 'follow' | 'error' | 'manual';
    readonly credentials: 'omit';
    readonly cache: 'no-store';
    readonly referrerPolicy: 'no-referrer';
    readonly signal: AbortSignal;
  },
): Promise<FetchedAnswer>;

declare class URL {
  static canParse(url: string, base?: string): boolean;
  constructor(url: string, base?: string);
  readonly href: string;
  readonly protocol: string;
  readonly origin: string;
  readonly host: string;
  readonly hostname: string;
  readonly pathname: string;
  readonly search: string;
}

declare namespace WebAssembly {
  class Memory {
    constructor(pages: { initial: number });
    readonly buffer: ArrayBuffer;
  }
  class Table {
    private constructor();
    grow(count: number): number;
    set(index: number, exported: ExportValue): void;
  }
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, (page: number) => void>>);
    readonly exports: Readonly<Record<string, ExportValue>>;
  }
  /** What a module exports; a function, for one. */
  interface ExportValue {
    readonly brand?: 'WebAssembly.ExportValue';
  }
}
