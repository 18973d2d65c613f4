import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/** An exporter that tells when its collector takes nothing any more: once, until it has taken something again. */
export class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #onTrouble: (why: string) => void;
  #isTold = false;

  constructor(exporter: SpanExporter, onTrouble: (why: string) => void) {
    this.#exporter = exporter;
    this.#onTrouble = onTrouble;
  }

  export(spans: ReadableSpan[], onResult: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#isTold = false;
      else this.tell(result.error?.message || 'the collector took nothing');
      onResult(result);
    });
  }

  /** Tells it, unless it has been told that something is wrong. */
  tell(why: string): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#onTrouble(why);
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}
