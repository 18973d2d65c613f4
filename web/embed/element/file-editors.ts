import type { EmbedFile } from '../embed-file.ts';
import { make } from './make-frame.ts';

interface EditorParts {
  readonly isReadonly: () => boolean;
  readonly onEdit: () => void;
}

/** The files of an embed as plain text to edit, one shown at a time. */
export class FileEditors {
  readonly element: HTMLElement = make('div', 'files');
  readonly #files: readonly EmbedFile[];
  readonly #editors: readonly HTMLTextAreaElement[];
  readonly #parts: EditorParts;
  /** What the sandbox has of each. */
  readonly #written: string[];

  constructor(files: readonly EmbedFile[], parts: EditorParts) {
    this.#files = files;
    this.#parts = parts;
    this.#written = files.map(({ text }) => text);
    this.#editors = files.map((file) => this.#makeEditor(file));
    if (files.length > 1) this.element.append(this.#makeTabs());
    this.element.append(...this.#editors);
    this.#select(0);
    this.update();
  }

  get isEdited(): boolean {
    return this.#editors.some(({ value }, index) => value !== this.#files[index]?.text);
  }

  /** All files as they are now. */
  takeAll(): EmbedFile[] {
    return this.#take(() => true);
  }

  /** Those that differ from what was taken before. */
  takeEdited(): EmbedFile[] {
    return this.#take((text, index) => text !== this.#written[index]);
  }

  reset(): void {
    for (const [index, { text }] of this.#files.entries()) {
      const editor = this.#editors[index];
      if (editor) editor.value = text;
      this.#written[index] = text;
    }
  }

  /** Looks again whether anything may be edited. */
  update(): void {
    for (const editor of this.#editors) editor.readOnly = this.#parts.isReadonly();
  }

  #take(wanted: (text: string, index: number) => boolean): EmbedFile[] {
    return this.#files.flatMap(({ path }, index) => {
      const text = this.#editors[index]?.value ?? '';
      if (!wanted(text, index)) return [];
      this.#written[index] = text;
      return [{ path, text }];
    });
  }

  #makeEditor({ path, text }: EmbedFile): HTMLTextAreaElement {
    const editor = make('textarea', 'editor');
    editor.value = text;
    editor.rows = Math.min(16, Math.max(2, text.split('\n').length));
    editor.spellcheck = false;
    editor.autocapitalize = 'off';
    editor.ariaLabel = path;
    editor.addEventListener('input', this.#parts.onEdit);
    return editor;
  }

  #makeTabs(): HTMLElement {
    const tabs = make('div', 'bar tabs');
    tabs.setAttribute('part', 'tabs');
    tabs.role = 'tablist';
    for (const [index, { path }] of this.#files.entries()) {
      const tab = make('button', 'tab', path);
      tab.type = 'button';
      tab.role = 'tab';
      tab.onclick = () => this.#select(index);
      tabs.append(tab);
    }
    return tabs;
  }

  #select(chosen: number): void {
    for (const [index, editor] of this.#editors.entries()) editor.hidden = index !== chosen;
    for (const [index, tab] of this.element.querySelectorAll('[role=tab]').entries())
      tab.ariaSelected = String(index === chosen);
  }
}
