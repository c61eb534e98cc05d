/**
 * What an answer of Lambda may have, 6 MB, less what surrounds the rows. The page of a user whose deploys all fail with
 * long logs could pass it.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_BYTES = 6 * 1024 * 1024 - 64 * 1024;

/**
 * Returns as many of the rows, from the first, as one answer can hold; one at least. The rest is on the next page.
 *
 * @param maxBytes how many bytes they may have together
 */
export function fitting<Row>(rows: readonly Row[], maxBytes = MAX_BYTES): readonly Row[] {
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    bytes += bytesOf(row);
    if (bytes > maxBytes && index > 0) return rows.slice(0, index);
  }
  return rows;
}

/** The body is a string in the JSON of Lambda's answer, so a quote in a log is a quote and three backslashes there. */
function bytesOf(row: unknown): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(row)));
}
