import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Grant } from '../../../lib/aws-local/permissions/guard.mjs';
import type { Permissions } from '../../../lib/aws-local/permissions/permissions.ts';
import { project, testFolder } from './place.ts';

const recorded = join(testFolder, 'grants');
/** `role | action | resource | reason`, a line each. */
const REVIEWED = join(project, 'lib/stack/access/unused.txt');
/** The services whose tests use the grants; without one of them, nothing can be said. */
const NEEDED = [
  ...['applications', 'changes', 'configuration', 'errors', 'exactness', 'hold', 'pairing', 'push', 'secrecy'],
  ...['signals', 'way-aws-lambda', 'way-embedded', 'way-http'],
];

/** Forgets what an earlier run has recorded. */
export function forgetGrants(): void {
  rmSync(recorded, { recursive: true, force: true });
}

/** Records which grants the service of a test has used. */
export function recordGrants(name: string, permissions: Permissions): void {
  mkdirSync(recorded, { recursive: true });
  const rows = (grants: readonly Grant[]) => grants.map(rowOf);
  const content = { used: rows(permissions.used()), unused: rows(permissions.unused()) };
  writeFileSync(join(recorded, `${name}.json`), JSON.stringify(content));
}

/**
 * Returns what differs from the reviewed list of grants that no test uses: a grant that is missing in it, and a row
 * that is no grant any more. Nothing when not all tests have run.
 */
export function reviewGrants(): readonly string[] {
  if (!NEEDED.every((name) => existsSync(join(recorded, `${name}.json`)))) return [];
  const { used, all } = recordedRows();
  return differences({ used, all, reviewed: reviewedRows() });
}

/** The rows of grants that were used, of all, and of the reviewed list. */
export interface GrantRows {
  readonly used: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
  readonly reviewed: ReadonlySet<string>;
}

/** Returns a line for each difference between the reviewed list and what was used. */
export function differences({ used, all, reviewed }: GrantRows): readonly string[] {
  const missing = [...all].filter((row) => !used.has(row) && !reviewed.has(row));
  const stale = [...reviewed].filter((row) => !all.has(row));
  return [
    ...missing.sort().map((row) => `no test uses: ${row}`),
    ...stale.sort().map((row) => `lib/stack/access/unused.txt lists what is no grant: ${row}`),
  ];
}

function recordedRows(): Pick<GrantRows, 'used' | 'all'> {
  const files = readdirSync(recorded).map((name) => JSON.parse(readFileSync(join(recorded, name), 'utf8')));
  const used = new Set<string>(files.flatMap((file) => file.used));
  return { used, all: new Set([...used, ...files.flatMap((file) => file.unused)]) };
}

function reviewedRows(): ReadonlySet<string> {
  const [, ...lines] = readFileSync(REVIEWED, 'utf8').trim().split('\n');
  return new Set(lines.map((line) => line.split(' | ').slice(0, 3).join(' | ')));
}

/** Returns `role | action | resource`: names without the digits of CDK, ARNs without what they all begin with. */
export function rowOf({ role, action, resource }: Grant): string {
  const short = resource.replace(/^arn:aws:\w+(?:-\w+)*:[^:]*:[^:]*:/, '');
  return [role, action, short].map((text) => text.replace(/(?<=[A-Za-z])[0-9A-Fa-f]{8}(?=[/:.]|$)/g, '')).join(' | ');
}
