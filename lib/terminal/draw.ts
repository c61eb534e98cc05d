import { inspect } from 'node:util';
import { type DocumentedEntry, hasEnded, numberOf, type Stage, stageWord } from '../client/entry.ts';

/** The output: standard output, or a test's. */
export interface Screen {
  write(text: string): void;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold';

/** Colours a text, or returns it unchanged. */
export type Paint = (colour: Colour, text: string) => string;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns how text is coloured for a screen: on a terminal, unless NO_COLOR is set (https://no-color.org). */
export function painter({ isTTY }: Pick<Screen, 'isTTY'>, env: Environment): Paint {
  // The screen decides, not the standard output of this process.
  return isTTY && !env.NO_COLOR ? coloured : (_, text) => text;
}

/** Not `styleText`, which Node has since 20.12. */
function coloured(colour: Colour, text: string): string {
  const [start, end] = inspect.colors[colour] ?? [0, 0];
  return `\u001b[${start}m${text}\u001b[${end}m`;
}

export interface DrawingOptions {
  /** Default: that of this process. */
  readonly env?: Environment;
  /** Whether the first line of a deploy begins with its date and time. */
  readonly dated?: boolean;
}

const DEFAULT_COLUMNS = 100;
/** Enough of a digest to compare it by eye. */
const DIGEST = /(\bsha256 [0-9a-f]{8})[0-9a-f]{56}\b/;
/** Lines shown of what an application and a build printed last: the reasons of compilers are longer. */
const TAIL_LINES = 8;
const BUILD_TAIL_LINES = 20;
/** `at Module._compile (node:internal/modules/cjs/loader:1495:20)`. */
const NODE_FRAME = /^\s+at (?:\S.* \()?node:internal\//;

/**
 * Prints the progress of deploys: a line at the start, a line for each stage with its duration, and a line with the
 * application's address or the error. A terminal also shows the current stage in a line that is overwritten.
 */
export class Drawing {
  readonly #screen: Screen;
  /** The number of lines printed for each entry. */
  readonly #drawn = new Map<string, number>();
  /** The entries whose deploy has ended, as they were last shown. */
  readonly #ended = new Map<string, DocumentedEntry>();
  #live = '';
  readonly #paint: Paint;
  readonly #dated: boolean;

  constructor(screen: Screen, { env = process.env, dated = false }: DrawingOptions = {}) {
    this.#screen = screen;
    this.#paint = painter(screen, env);
    this.#dated = dated;
  }

  entry(entry: DocumentedEntry): void {
    const ended = this.#ended.get(entry.id);
    if (hasEnded(entry)) this.#ended.set(entry.id, ended && ended.seq > entry.seq ? ended : entry);
    if (ended) {
      this.#after(ended, entry);
      return;
    }
    const lines = linesOf(entry, { paint: this.#paint, dated: this.#dated });
    const before = this.#drawn.get(entry.id) ?? 0;
    // Two queries of the log may return in the wrong order.
    if (lines.length < before) return;
    for (const line of lines.slice(before)) this.line(line);
    this.#drawn.set(entry.id, lines.length);
    // Some terminals say 0.
    const columns = this.#screen.columns || DEFAULT_COLUMNS;
    // A line that is wrapped could not be overwritten.
    this.#setLive(hasEnded(entry) ? '' : liveLine(entry).slice(0, columns - 1));
  }

  /** Prints what has happened to the application of a deploy that had ended: it crashed, or it answers again. */
  #after(before: DocumentedEntry, entry: DocumentedEntry): void {
    if (!hasEnded(entry) || entry.status === before.status || entry.seq < before.seq) return;
    const tag = this.#paint('dim', `#${numberOf(entry)}`);
    for (const line of changeLines(entry, this.#paint)) this.line(`${tag} ${line}`);
  }

  /** Prints a line above the one that is overwritten. */
  line(text: string): void {
    const live = this.#live;
    this.#setLive('');
    this.#screen.write(`${text}\n`);
    this.#setLive(live);
  }

  #setLive(text: string): void {
    if (!this.#screen.isTTY || text === this.#live) return;
    // Carriage return, then erase the line.
    this.#screen.write(`\r\u001b[2K${text}`);
    this.#live = text;
  }
}

/** Returns all lines of an entry so far; later calls only append. */
function linesOf(
  entry: DocumentedEntry,
  { paint, dated }: { readonly paint: Paint; readonly dated: boolean },
): string[] {
  const tag = paint('dim', `#${numberOf(entry)}`);
  const date = dated ? ` ${paint('dim', dateTime(entry.doc.received_at))}` : '';
  const begun = `${tag}${date} ${paint('bold', title(entry))}`;
  return [begun, ...progressLines(entry, paint).map((line) => `${tag} ${line}`)];
}

/** Returns the lines of the stages that have ended, and of the entry's own end; later calls only append. */
export function progressLines(entry: DocumentedEntry, paint: Paint = (_, text) => text): string[] {
  const stages = entry.doc.stages.filter(({ status }) => status !== 'running').map((one) => stageLine(one, paint));
  return [...stages, ...endLines(entry, paint)];
}

function title({ commit, provider, doc }: DocumentedEntry): string {
  const [owner, name, sha] = commit?.split('/') ?? [];
  const where = owner ? `${owner}/${name}` : provider;
  const what = [doc.branch, sha?.slice(0, 8)].filter(Boolean).join(' ');
  const by = doc.token && `by token ${doc.token}`;
  return [where, what, doc.operation, doc.message && `“${doc.message}”`, by].filter(Boolean).join('  ');
}

function stageLine(stage: Stage, paint: Paint): string {
  const mark = stage.status === 'failed' ? paint('red', '✗') : paint('green', '✓');
  const took = stage.finished_at ? duration(Date.parse(stage.finished_at) - Date.parse(stage.started_at)) : '';
  const detail = stage.status === 'failed' ? '' : (stage.detail ?? '').replace(DIGEST, '$1…');
  return `  ${mark} ${stageWord(stage.name).padEnd(8)}${took.padStart(8)}  ${paint('dim', detail)}`.trimEnd();
}

function endLines(entry: DocumentedEntry, paint: Paint): string[] {
  const { doc, error, status } = entry;
  if (status === 'crashed') return changeLines(entry, paint);
  if (status === 'ok') {
    // A stopped or removed application answers nowhere.
    const done = doc.url ? `${paint('green', 'live')} after ${total(entry)}: ${paint('cyan', doc.url)}` : null;
    const warning = entry.warning ? [`${paint('yellow', 'warning')}  ${entry.warning}`] : [];
    return [...warning, done ?? `${paint('green', 'done')} after ${total(entry)}`];
  }
  if (error) return [`${paint('red', error.code)}  ${error.detail}`, ...tailOf(entry, paint)];
  if (status === 'held') return [heldLine(entry, paint), `"hooks release ${numberOf(entry)}" deploys it now.`];
  return hasEnded(entry) ? [`${paint('yellow', status)}  ${doc.reason ?? ''}`] : [];
}

/** Returns what a hold waits for, and when it expires by this machine's clock. */
function heldLine({ doc, expires_at }: DocumentedEntry, paint: Paint): string {
  return `${paint('yellow', 'held')}  ${doc.reason ?? ''}${expires_at ? `  Expires ${dateTime(expires_at)}.` : ''}`;
}

/** Returns the lines for an application that has crashed after its deploy, or answers again. */
function changeLines(entry: DocumentedEntry, paint: Paint): string[] {
  const { app_name: name, doc } = entry;
  if (entry.status === 'ok') {
    const again = doc.url ? `answers again: ${paint('cyan', doc.url)}` : 'runs again';
    return [`${paint('green', 'ok')}  ${name} ${again}`];
  }
  return [`${paint('red', entry.status)}  ${name}: ${doc.reason ?? ''}`, ...tailOf(entry, paint)];
}

function tailOf({ doc }: DocumentedEntry, paint: Paint): string[] {
  const ofBuild = doc.stages.at(-1)?.name === 'extract';
  // Frames of Node itself would leave no place for the line of the application above them.
  const lines = doc.log_tail.filter((line) => !NODE_FRAME.test(line));
  return lines.slice(ofBuild ? -BUILD_TAIL_LINES : -TAIL_LINES).map((line) => paint('dim', `    ${line}`));
}

function liveLine({ id, doc, status }: DocumentedEntry): string {
  const stage = doc.stages.find((one) => one.status === 'running');
  return `#${numberOf({ id })}   … ${stage ? stageWord(stage.name) : status}${doc.reason ? `  ${doc.reason}` : ''}`;
}

/** Returns a time, as the service sends it, by this machine's clock. */
export function dateTime(text: string): string {
  const time = new Date(text);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${day} ${time.toTimeString().slice(0, 8)}`;
}

function total({ doc }: DocumentedEntry): string {
  return doc.finished_at ? duration(Date.parse(doc.finished_at) - Date.parse(doc.received_at)) : '';
}

function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
