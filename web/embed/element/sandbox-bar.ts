import { make } from './make-frame.ts';

/** The row of buttons of a sandbox, which are disabled while what they do is under way. */
export class SandboxBar {
  readonly element: HTMLElement = make('div', 'bar');
  readonly #label: string | null;
  readonly #onError: (error: Error) => void;

  constructor(label: string | null, onError: (error: Error) => void) {
    this.#label = label;
    this.#onError = onError;
    this.element.role = 'toolbar';
    this.element.ariaLabel = label ?? 'Sandbox';
  }

  add(text: string, title: string, act: () => Promise<unknown>): HTMLButtonElement {
    const button = make('button', text.toLowerCase(), text);
    button.type = 'button';
    button.title = title;
    button.onclick = () => {
      button.disabled = true;
      void act()
        .catch(this.#onError)
        .finally(() => (button.disabled = false));
    };
    this.element.append(button);
    return button;
  }

  addMain(text: string, title: string, act: () => Promise<unknown>): void {
    this.add(text, title, act).className = 'main';
  }

  /** The label and a badge, and room up to the next button. */
  addSpace(badge: HTMLElement): void {
    this.element.append(make('span', 'title', this.#label ?? ''), badge, make('span', 'space'));
  }

  hideButtons(isHidden: boolean): void {
    for (const button of this.element.querySelectorAll('button')) button.hidden = isHidden;
  }
}
