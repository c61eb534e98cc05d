import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Grant } from '../../aws-local/permissions/guard.ts';
import type { Permissions } from '../../aws-local/permissions/permissions.ts';
import { project, testFolder } from './place.ts';

const recorded = join(testFolder, 'grants');
/** `role | action | resource | reason`, a line each. */
const REVIEWED = join(project, 'lib/stack/access/unused.txt');
/** How the reason of a grant begins that some runs use and others do not: it depends on the time, or on chance. */
const SOMETIMES = 'sometimes: ';

/** Forgets what an earlier run has recorded. */
export function forgetGrants(): void {
  rmSync(recorded, { recursive: true, force: true });
}

/** Records which grants the service of a test has used. */
export function recordGrants(name: string, permissions: Permissions): void {
  mkdirSync(recorded, { recursive: true });
  const rows = (grants: readonly Grant[]) => grants.map(rowOf);
  const { notEvaluated } = permissions;
  const content = { used: rows(permissions.used()), unused: rows(permissions.unused()), notEvaluated };
  writeFileSync(join(recorded, `${name}.json`), JSON.stringify(content));
}

/**
 * Returns what differs, after a whole run, from the reviewed list of grants that no test uses, with what to do about
 * it; null when nothing does.
 */
export function reviewGrants(): string | null {
  const rows = differences({ ...recordedRows(), ...reviewedRows() });
  return rows.length === 0 ? null : [...rows, ...WHAT_TO_DO].join('\n');
}

const WHAT_TO_DO = [
  'Remove from lib/stack/access a grant that nothing needs. One that is needed, though no test uses it, belongs into',
  'lib/stack/access/unused.txt, with the reason; what is used, or is no grant any more, does not. Begin the reason with',
  `"${SOMETIMES.trim()}" when some runs use a grant and others do not.`,
];

/** The rows of grants that were used, of all, and of the reviewed list. */
export interface GrantRows {
  readonly used: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
  readonly reviewed: ReadonlySet<string>;
  /** Those of the list that some runs use. */
  readonly sometimes: ReadonlySet<string>;
}

/** Returns a line for each difference between the reviewed list and what was used. */
function differences({ used, all, reviewed, sometimes }: GrantRows): readonly string[] {
  const missing = [...all].filter((row) => !used.has(row) && !reviewed.has(row));
  const needless = [...reviewed].filter((row) => used.has(row) && !sometimes.has(row));
  const stale = [...reviewed].filter((row) => !all.has(row));
  return [
    ...missing.sort().map((row) => `No test uses the grant: ${row}`),
    ...needless.sort().map((row) => `The list has a grant that was used: ${row}`),
    ...stale.sort().map((row) => `The list has what is no grant: ${row}`),
  ];
}

/** Returns the principals of the recorded stacks that the emulators evaluate nothing of, a line each. */
export function notEvaluated(): readonly string[] {
  return [...new Set<string>(recordedFiles().flatMap((file) => file.notEvaluated))].sort();
}

function recordedFiles() {
  if (!existsSync(recorded)) return [];
  return readdirSync(recorded).map((name) => JSON.parse(readFileSync(join(recorded, name), 'utf8')));
}

function recordedRows(): Pick<GrantRows, 'used' | 'all'> {
  const files = recordedFiles();
  const used = new Set<string>(files.flatMap((file) => file.used));
  return { used, all: new Set([...used, ...files.flatMap((file) => file.unused)]) };
}

function reviewedRows(): Pick<GrantRows, 'reviewed' | 'sometimes'> {
  const [, ...lines] = readFileSync(REVIEWED, 'utf8').trim().split('\n');
  const rows = lines.map((line) => {
    const [role, action, resource, reason = ''] = line.split(' | ');
    return { row: [role, action, resource].join(' | '), isUsed: reason.startsWith(SOMETIMES) };
  });
  const sometimes = rows.filter(({ isUsed }) => isUsed);
  return { reviewed: new Set(rows.map(({ row }) => row)), sometimes: new Set(sometimes.map(({ row }) => row)) };
}

/** Returns `role | action | resource`: names without the digits of CDK, ARNs without what they all begin with. */
function rowOf({ role, action, resource }: Grant): string {
  const short = resource.replace(/^arn:aws:\w+(?:-\w+)*:[^:]*:[^:]*:/, '');
  return [role, action, short].map((text) => text.replace(/(?<=[A-Za-z])[0-9A-Fa-f]{8}(?=[/:.]|$)/g, '')).join(' | ');
}
