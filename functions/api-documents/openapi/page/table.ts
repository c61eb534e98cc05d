/** Returns a table with a heading; an empty string without rows. Its cells are HTML already. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const head = heading.map((cell) => `<th scope="col">${cell}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  return `<div tabindex="0" role="region" aria-label="${heading[0]}"><table>\n<tr>${head}</tr>\n${body}\n</table></div>`;
}
