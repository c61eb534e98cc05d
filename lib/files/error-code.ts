/** Whether an error of the system carries this code (`ENOENT`, `ESRCH`, …). */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
