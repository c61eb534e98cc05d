/** The entries of the runbook: what can go wrong, by the name that its alarm and its heading in the README share. */
export const runbook = [
  'dead-letters',
  'oldest-message',
  'sweep-stopped',
  'function-errors',
  'function-throttles',
  'api-5xx',
  'table-throttles',
  'table-conflicts',
  'signals-late',
  'signals-lost',
  'stream-concurrency',
] as const;

export type RunbookEntry = (typeof runbook)[number];

/** Where the README tells what to do about it. */
export function runbookAddress(entry: RunbookEntry): string {
  return `README.md#runbook-${entry}`;
}
