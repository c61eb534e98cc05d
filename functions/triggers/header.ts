/** Returns the value of a header by its lower-case name, in whatever case the event has it. */
export function header(
  headers: Readonly<Record<string, string | undefined>> | null | undefined,
  name: string,
): string | undefined {
  return Object.entries(headers ?? {}).find(([known]) => known.toLowerCase() === name)?.[1];
}
