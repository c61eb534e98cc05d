/**
 * Whether a line of a function's log is Lambda's own: `START RequestId: …`. The last is printed for the adapter's
 * layer.
 */
export function isOfLambda(line: string): boolean {
  return /^(?:(?:START|END|REPORT) RequestId:|INIT_START |INIT_REPORT |EXTENSION\t|XRAY TraceId:)/.test(line);
}
