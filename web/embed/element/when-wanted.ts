/** Calls `load` once: at once, when the element is near the visible part of the page, or never, as its attribute `loading` says. */
export function whenWanted(element: HTMLElement, load: () => void, signal: AbortSignal): void {
  const loading = element.getAttribute('loading');
  if (loading === 'click') return;
  if (loading === 'eager') {
    load();
    return;
  }
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      load();
    },
    { rootMargin: '100px' },
  );
  observer.observe(element);
  signal.addEventListener('abort', () => observer.disconnect());
}
