/**
 * Runs inside the page, through every open shadow root: interactive elements without a name,
 * targets under `leastPx`, text whose contrast is under 4.5 : 1, controls and pages that reach out of the window
 * (WCAG 2.2: 4.1.2, 2.5.8, 1.4.3, 1.4.10). Answers one line per finding.
 */
export function auditPage(leastPx: number): string[] {
  const findings: string[] = [];
  const every = collect(document.body);
  for (const element of every) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest('.xterm') !== null) continue;
    if (isInteractive(element)) findings.push(...auditControl(element));
    if (hasOwnText(element)) findings.push(...auditContrast(element));
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) findings.push(`the page is ${scrollWidth} px wide in ${clientWidth} px`);
  return findings;

  function collect(root: ParentNode): HTMLElement[] {
    return [...root.querySelectorAll<HTMLElement>('*')].flatMap((element) =>
      element.shadowRoot === null ? [element] : [element, ...collect(element.shadowRoot)],
    );
  }

  function isInteractive(element: HTMLElement): boolean {
    return element.matches(
      'button, input, textarea, select, a[href], [role=treeitem], [role=slider], [role=option]',
    );
  }

  function auditControl(element: HTMLElement): string[] {
    const found: string[] = [];
    if (nameOf(element) === '') found.push(`no name: ${element.outerHTML.slice(0, 90)}`);
    const box = element.getBoundingClientRect();
    const small = box.width < leastPx || box.height < leastPx;
    if (small && !element.matches('[role=slider]'))
      found.push(`small: ${nameOf(element)} ${box.width}x${box.height}`);
    if ((box.left < 0 || box.right > innerWidth) && !canScroll(element))
      found.push(`outside: ${nameOf(element)}, from ${box.left} to ${box.right} of ${innerWidth} px`);
    return found;
  }

  /** Whether what reaches out of the window is brought into it by scrolling what is around. */
  function canScroll(element: Element): boolean {
    for (let at: Element | null = element; at !== null; at = parentOf(at))
      if (['auto', 'scroll'].includes(getComputedStyle(at).overflowX)) return true;
    return false;
  }

  function nameOf(element: HTMLElement): string {
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined;
    const labelled = element.getAttribute('aria-label') ?? label ?? element.title;
    return (labelled || element.textContent || '').trim();
  }

  function hasOwnText(element: HTMLElement): boolean {
    if (element.matches('script, style, .hidden-text, :disabled, :disabled *, option')) return false;
    return [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && (node.nodeValue ?? '').trim() !== '',
    );
  }

  function auditContrast(element: HTMLElement): string[] {
    const text = parse(getComputedStyle(element).color);
    const ground = groundOf(element);
    const ratio = contrast(text, ground);
    if (ratio >= 4.5) return [];
    const words = (element.textContent ?? '').trim().slice(0, 30);
    return [`contrast ${ratio.toFixed(2)}: "${words}" ${text} on ${ground}`];
  }

  function groundOf(element: Element): number[] {
    for (let at: Element | null = element; at !== null; at = parentOf(at)) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if ((color[3] ?? 1) === 1) return color;
    }
    return parse(getComputedStyle(document.body).backgroundColor);
  }

  function parentOf(element: Element): Element | null {
    if (element.assignedSlot !== null) return element.assignedSlot;
    const root = element.getRootNode();
    return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  }

  function parse(color: string): number[] {
    return (color.match(/[\d.]+/g) ?? []).map(Number);
  }

  function contrast(a: number[], b: number[]): number {
    const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  }

  function luminance([red = 0, green = 0, blue = 0]: number[]): number {
    const linear = (value: number): number => {
      const share = value / 255;
      return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  }
}
