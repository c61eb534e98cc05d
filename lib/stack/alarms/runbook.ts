/** The sections of the runbook in lib/stack/alarms/README.md, by their anchors. Each has at least one alarm. */
export const runbook = [
  'dead-letters',
  'findings',
  'sweep-stopped',
  'function-errors',
  'function-throttles',
  'request-failures',
  'table-throttles',
  'table-conflicts',
  'signals-late',
  'signals-lost',
  'stream-concurrency',
] as const;

export type RunbookEntry = (typeof runbook)[number];

/** Returns the section as a path in the repository: a relative link does not work in a mail. */
export function runbookAddress(entry: RunbookEntry): string {
  return `lib/stack/alarms/README.md#${entry}`;
}
