/**
 * Whether a name fits a pattern of a person, in which `*` stands for any characters, as in a shell: at its beginning not for
 * the dot of a hidden file. It is compared piece by piece: as a regular expression `a*a*a*b` would take years.
 */
export function isNameLike(pattern: string, name: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first) || (first === '' && name.startsWith('.'))) return false;
  let at = first.length;
  for (const piece of others) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
