/** How a build tells a person what it does. */
export interface Progress {
  /** A finished fact, one line. */
  note(text: string): void;
  /** Something that needs attention but does not stop the build. */
  warn(text: string): void;
  /** Runs `work` as a named step and shows how long it took. */
  step<T>(label: string, work: (report: StepReport) => Promise<T>): Promise<T>;
}

/** Tells how far a step is: in bytes where `totalBytes` is known (not 0), else as words; `more` stands behind. */
export interface StepReport {
  bytes(doneBytes: number, totalBytes: number, more?: string): void;
  detail(text: string): void;
}

interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Between two updates of a step on a terminal. */
export const redrawMs = 100;
const barCells = 24;

/** Bars that redraw in place on a terminal; one plain line per finished step otherwise. */
export function createProgress(output: Output = process.stderr): Progress {
  const live = output.isTTY === true;
  const line = (text: string) => void output.write(`${live ? '\r\x1b[2K' : ''}${text}\n`);
  return {
    note: (text) => line(text),
    warn: (text) => line(`! ${text}`),
    async step(label, work) {
      const startedMs = Date.now();
      const seconds = () => `${((Date.now() - startedMs) / 1000).toFixed(1)} s`;
      let shown = '';
      let drawnMs = 0;
      const draw = () => {
        drawnMs = Date.now();
        const text = `  ${label}  ${shown}  ${seconds()}`;
        output.write(`\r\x1b[2K${text.slice(0, (output.columns || 80) - 1)}`);
      };
      const show = (text: string) => {
        shown = text;
        if (live && Date.now() - drawnMs >= redrawMs) draw();
      };
      const ticker = live ? setInterval(draw, 1000) : undefined;
      let lastBytes = 0;
      try {
        const result = await work({
          bytes(doneBytes, totalBytes, more) {
            lastBytes = doneBytes;
            const amount = totalBytes > 0 ? bar(doneBytes, totalBytes) : amountText(doneBytes, totalBytes);
            show(more === undefined ? amount : `${amount}, ${more}`);
          },
          detail: show,
        });
        line(`✓ ${label}  ${lastBytes > 0 ? `${megabytes(lastBytes)}  ` : ''}${seconds()}`);
        return result;
      } catch (error) {
        line(`✗ ${label}  ${seconds()}`);
        throw error;
      } finally {
        clearInterval(ticker);
      }
    },
  };
}

function bar(doneBytes: number, totalBytes: number): string {
  const cells = Math.min(barCells, Math.round((doneBytes / totalBytes) * barCells));
  return `${'█'.repeat(cells)}${'░'.repeat(barCells - cells)} ${amountText(doneBytes, totalBytes)}`;
}

/** How far a step is, in bytes; `totalBytes` is 0 where it is not known. */
export function amountText(doneBytes: number, totalBytes: number): string {
  return totalBytes > 0 ? `${megabytes(doneBytes)} of ${megabytes(totalBytes)}` : megabytes(doneBytes);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
