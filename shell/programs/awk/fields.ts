import { shellLimits } from '../../limits.ts';
import type { ShellText } from '../../text.ts';
import { AwkProblem } from './awk-problem.ts';
import type { Splitter } from './split-text.ts';
import { type AwkValue, InputText, toText } from './values.ts';

interface FieldSettings {
  /** How FS divides by now. */
  splitter: Splitter;
  ofs: ShellText;
  convfmt: ShellText;
}

/** A field that there is not: empty text, which is not zero. */
const noText = new InputText('');

/** The record and its fields. It is divided when a field is asked for, and put together when it is asked for itself. */
export class Fields {
  readonly #settings: FieldSettings;
  /** Told how many characters are divided or put together. */
  readonly #spend: (characters: number) => void;
  #record: InputText = new InputText('');
  /** As FS was when the record was read. */
  #splitter: Splitter;
  #isSplit = true;
  #isStale = false;
  #texts: ShellText[] = [];
  #values: AwkValue[] = [];

  constructor(settings: FieldSettings, spend: (characters: number) => void) {
    this.#settings = settings;
    this.#spend = spend;
    this.#splitter = settings.splitter;
  }

  get record(): InputText {
    if (this.#isStale) this.#join();
    return this.#record;
  }

  set record(record: InputText) {
    this.#record = record;
    this.#splitter = this.#settings.splitter;
    this.#isSplit = false;
    this.#isStale = false;
  }

  /** NF */
  get count(): number {
    this.#split();
    return this.#texts.length;
  }

  /** Drops fields, or adds empty ones. The record is put together anew. */
  set count(count: number) {
    this.#split();
    this.#setLength(count);
    this.#isStale = true;
  }

  get(index: number): AwkValue {
    if (index === 0) return this.record;
    this.#split();
    const known = this.#values[index - 1];
    if (known !== undefined) return known;
    const text = this.#texts[index - 1];
    if (text === undefined) {
      if (index < 0) throw new AwkProblem(`negative field index $${index}`);
      return noText;
    }
    const value = new InputText(text);
    this.#values[index - 1] = value;
    return value;
  }

  set(index: number, value: AwkValue): void {
    if (index === 0) {
      this.record = new InputText(toText(value, this.#settings.convfmt));
      return;
    }
    if (index < 0) throw new AwkProblem(`negative field index $${index}`);
    this.#split();
    if (index > this.#texts.length) this.#setLength(index);
    this.#texts[index - 1] = toText(value, this.#settings.convfmt);
    this.#values[index - 1] = value;
    this.#isStale = true;
  }

  /** Puts the record together with OFS as it is, before that changes. */
  settle(): void {
    if (this.#isStale) this.#join();
  }

  #split(): void {
    if (this.#isSplit) return;
    this.#isSplit = true;
    this.#spend(this.#record.text.length);
    this.#texts = this.#splitter(this.#record.text);
    this.#values = [];
  }

  #join(): void {
    this.#isStale = false;
    const text = this.#texts.join(this.#settings.ofs);
    if (text.length > shellLimits.valueLength) throw new AwkProblem('the record is too long');
    this.#spend(text.length);
    this.#record = new InputText(text);
  }

  #setLength(count: number): void {
    if (count < 0) throw new AwkProblem('NF set to a negative value');
    if (count > shellLimits.words) throw new AwkProblem(`more than ${shellLimits.words} fields`);
    while (this.#texts.length < count) this.#texts.push('');
    this.#texts.length = count;
    this.#values.length = Math.min(this.#values.length, count);
  }
}
