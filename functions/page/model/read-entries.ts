import type { Entry, EntryDocument, Stage } from './entry.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the entries in an answer. What is none is left out: after an update of the service, or from a proxy in
 * between, an answer may be another one than this page expects, and one row must not hide all others.
 */
export function entriesIn(rows: unknown): readonly Entry[] {
  return (Array.isArray(rows) ? rows : []).flatMap((row) => entryIn(row) ?? []);
}

/** Returns the entry that a value is; null when it is none. */
export function entryIn(row: unknown): Entry | null {
  if (!isEntry(row)) return null;
  const { doc, ...fields } = row;
  return isFields(doc) ? { ...fields, doc: withLists(doc) } : fields;
}

function isEntry(row: unknown): row is Entry {
  if (!isFields(row)) return false;
  const { id, seq, status } = row;
  return (
    typeof id === 'string' && /[0-9a-f]{20}\d{12}$/.test(id) && Number.isInteger(seq) && typeof status === 'string'
  );
}

/** The lists of a document are drawn without a further look. */
function withLists(doc: EntryDocument): EntryDocument {
  const { stages, log_tail } = doc;
  return { ...doc, stages: listOf(stages).filter(isStage), log_tail: listOf(log_tail).filter(isText) };
}

function isStage(stage: unknown): stage is Stage {
  return isFields(stage) && typeof stage.name === 'string' && typeof stage.status === 'string';
}

function isText(line: unknown): line is string {
  return typeof line === 'string';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
