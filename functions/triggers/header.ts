/** The value of a header, whose name (given in lower case) comes in the sender's spelling. */
export function header(
  headers: Readonly<Record<string, string | undefined>> | null | undefined,
  name: string,
): string | undefined {
  return Object.entries(headers ?? {}).find(([known]) => known.toLowerCase() === name)?.[1];
}
