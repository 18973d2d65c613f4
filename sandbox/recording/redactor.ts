import type { RecordingEvent } from '../../recording/format/recording-event.ts';

/** Replaces secrets in what is recorded, and counts them. */
export class Redactor {
  get count(): number {
    return 0;
  }
  get counts(): Readonly<Record<string, number>> {
    return {};
  }
  addEnvironment(_envs: Readonly<Record<string, string>>): void {}
  redact(event: RecordingEvent): readonly RecordingEvent[] {
    return [event];
  }
  flush(): readonly RecordingEvent[] {
    return [];
  }
}
