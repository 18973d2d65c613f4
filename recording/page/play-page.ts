import type { PageItem, readPageRecording } from './read-page-recording.ts';
import type { MakeTerminal, TerminalView } from './terminal-view.ts';

/** What the page's script is made of besides. */
interface PageParts {
  readonly Terminal: MakeTerminal;
  readonly View: typeof TerminalView;
  readonly read: typeof readPageRecording;
}

/**
 * Plays the recording that a page has in it. It becomes part of the page's script as it is, by its source, so it uses nothing from outside of itself but
 * `parts`.
 */
export async function playPage({ Terminal, View, read }: PageParts): Promise<void> {
  const part = <Part extends HTMLElement>(id: string) => document.getElementById(id) as Part;
  const [play, time, status] = [part<HTMLButtonElement>('play'), part('time'), part('status')];
  const [slider, speed, idle] = [
    part<HTMLInputElement>('position'),
    part<HTMLSelectElement>('speed'),
    part<HTMLInputElement>('idle'),
  ];
  /** Pauses longer than this are skipped, where that is asked for, s. */
  const longPause = 2;
  /** What the arrow keys go by, s. */
  const step = 5;

  const recording = read(await inflate(part('recording').textContent ?? ''));
  part('title').textContent = recording.title;
  const views = recording.terminals.map((terminal) => new View(terminal, Terminal));
  let shown = 0;
  let position = 0;
  let isPlaying = false;
  let lastFrameMs = 0;

  const clock = (seconds: number) => {
    const whole = Math.floor(seconds);
    const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
    const rest = String(whole % 60).padStart(2, '0');
    return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
  };
  const entries = recording.items.map((item) => {
    const entry = document.createElement('li');
    entry.className = item.hasFailed ? `${item.kind} failed` : item.kind;
    const head = document.createElement('button');
    head.type = 'button';
    head.textContent = item.title;
    head.title = clock(item.at);
    head.addEventListener('click', () => jump(item.at, item));
    const text = document.createElement('p');
    text.textContent = item.text;
    entry.append(head, ...(item.text === '' ? [] : [text]));
    return entry;
  });
  part('items').append(...entries);
  if (recording.hidden > 0) part('hidden').textContent = `${recording.hidden} more are in the recording`;
  const tabs = views.map((view, index) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.textContent = recording.terminals[index]?.title ?? '';
    tab.addEventListener('click', () => select(index));
    part('screen').append(view.element);
    return tab;
  });
  if (tabs.length > 1) part('tabs').append(...tabs);

  function select(index: number): void {
    shown = index;
    for (const [at, tab] of tabs.entries()) tab.setAttribute('aria-pressed', String(at === index));
    for (const [at, view] of views.entries()) view.element.hidden = at !== index;
    fitText();
  }

  function fitText(): void {
    views[shown]?.fit(part('screen').clientWidth - 24);
  }

  let current = -1;
  function draw(): void {
    for (const view of views) view.show(position);
    slider.value = String(position);
    slider.setAttribute('aria-valuetext', `${clock(position)} of ${clock(recording.duration)}`);
    time.textContent = `${clock(position)} / ${clock(recording.duration)}`;
    const next = recording.items.findIndex(({ at }) => at > position);
    const now = (next < 0 ? recording.items.length : next) - 1;
    if (now === current) return;
    entries[current]?.removeAttribute('aria-current');
    current = now;
    entries[now]?.setAttribute('aria-current', 'step');
    entries[now]?.scrollIntoView({ block: 'nearest' });
  }

  function seek(to: number): void {
    position = Math.max(0, Math.min(recording.duration, to));
    draw();
  }

  function jump(to: number, item?: PageItem): void {
    seek(to);
    status.textContent = item ? `${clock(to)} ${item.title}` : clock(to);
  }

  function setPlaying(value: boolean): void {
    isPlaying = value;
    play.textContent = value ? 'Pause' : 'Play';
    if (!value) return;
    if (position >= recording.duration) seek(0);
    lastFrameMs = performance.now();
    requestAnimationFrame(frame);
  }

  function frame(nowMs: number): void {
    if (!isPlaying) return;
    position += (Math.max(0, nowMs - lastFrameMs) / 1_000) * Number(speed.value);
    lastFrameMs = nowMs;
    const next = Math.min(
      ...views.map((view) => view.next),
      recording.items[current + 1]?.at ?? Number.POSITIVE_INFINITY,
    );
    if (idle.checked && Number.isFinite(next) && next - position > longPause) position = next - longPause / 2;
    seek(position);
    if (position >= recording.duration) setPlaying(false);
    else requestAnimationFrame(frame);
  }

  /** The item before or after the one that is current. */
  function go(by: -1 | 1): void {
    const to = Math.max(0, Math.min(recording.items.length - 1, current + by));
    const item = recording.items[to];
    if (item) jump(item.at, item);
  }

  /** By `#t=12.5`. */
  function openLink(): void {
    const asked = Number(new URLSearchParams(location.hash.slice(1)).get('t'));
    if (Number.isFinite(asked) && asked > 0) jump(asked);
  }

  play.addEventListener('click', () => setPlaying(!isPlaying));
  slider.max = String(recording.duration);
  slider.addEventListener('input', () => seek(Number(slider.value)));
  window.addEventListener('resize', fitText);
  window.addEventListener('hashchange', openLink);
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { tagName = '' } = event.target instanceof HTMLElement ? event.target : {};
    // What a key does there stays as it is.
    if (tagName === 'INPUT' || tagName === 'SELECT' || (tagName === 'BUTTON' && event.key === ' ')) return;
    const does: Readonly<Record<string, () => void>> = {
      ' ': () => setPlaying(!isPlaying),
      ArrowLeft: () => jump(position - step),
      ArrowRight: () => jump(position + step),
      '[': () => go(-1),
      ']': () => go(1),
      Home: () => jump(0),
      End: () => jump(recording.duration),
    };
    const act = does[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  select(0);
  seek(0);
  openLink();
  document.body.dataset.state = 'ready';

  async function inflate(base64: string): Promise<string> {
    const binary = atob(base64.trim());
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).text();
  }
}
