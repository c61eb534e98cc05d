/** Returns a table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Replaces what is between the markers `<!-- name -->` and `<!-- /name -->` of a document. */
export function withGenerated(document: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((text, [name, part]) => {
    const [before, , after, ...more] = text.split(new RegExp(`(?<=<!-- ${name} -->)|(?=<!-- /${name} -->)`));
    if (before === undefined || after === undefined || more.length > 0) throw new Error(`No single part ${name}.`);
    return `${before}\n${part}\n${after}`;
  }, document);
}
