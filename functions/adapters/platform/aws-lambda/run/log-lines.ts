/**
 * Whether a line of a function's log is Lambda's own: `START RequestId: …`. The last is printed for the adapter's
 * layer.
 */
export function isOfLambda(line: string): boolean {
  return /^(?:(?:START|END|REPORT) RequestId:|INIT_START |INIT_REPORT |EXTENSION\t|XRAY TraceId:)/.test(line);
}

/** Whether a line is Lambda's about the end of an instance, which an answer says too. */
export function isEndOfInstance(line: string): boolean {
  return /^(?:RequestId: [\w-]+ |\d{4}-\S+Z [\w-]+ )(?:Error: Runtime exited|Task timed out)|^Runtime\.ExitError$/.test(
    line,
  );
}
