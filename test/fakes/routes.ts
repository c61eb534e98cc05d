/** Returns the parts of a path that a pattern names, as `apps/:app` does; null when the path is another one. */
export function matched(pattern: readonly string[], path: readonly string[]): Record<string, string> | null {
  if (pattern.length !== path.length) return null;
  const names: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    if (part.startsWith(':')) names[part.slice(1)] = path[at] ?? '';
    else if (part !== path[at]) return null;
  }
  return names;
}
