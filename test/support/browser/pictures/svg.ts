const COLUMN_PX = 7.8;
const LINE_PX = 20;
const PADDING_PX = 20;
const BAR_PX = 34;

const STYLE = `
text { font: 13px ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre; fill: #e6e6e6 }
.bold { font-weight: 600 } .dim { fill: #8f8f8f } .red { fill: #ff7a75 } .green { fill: #46c76f } .cyan { fill: #62c8e6 } .yellow { fill: #f0b13f }`;

/** A code of "select graphic rendition" (ECMA-48); every second part of a line that is split by it. */
const SGR = new RegExp(`${String.fromCharCode(27)}\\[(\\d+)m`);

/** The classes that a code begins, and the codes that end them. */
const BEGINS: Readonly<Record<string, string>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  36: 'cyan',
};
const ENDS: Readonly<Record<string, readonly string[]>> = {
  0: Object.values(BEGINS),
  22: ['bold', 'dim'],
  39: ['red', 'green', 'yellow', 'cyan'],
};

/** Returns a terminal with these lines as a drawing, which may have colours (SGR) and no other control sequences. */
export function terminalSvg(lines: readonly string[]): string {
  const columns = Math.max(
    ...lines.map(
      (line) =>
        line
          .split(SGR)
          .filter((_, at) => at % 2 === 0)
          .join('').length,
    ),
  );
  const width = Math.round(columns * COLUMN_PX + 2 * PADDING_PX);
  const height = BAR_PX + lines.length * LINE_PX + PADDING_PX;
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, at) => `<circle cx="${20 + at * 18}" cy="18" r="5.5" fill="${fill}"/>`,
  );
  const texts = lines.map(
    (line, at) => `<text x="${PADDING_PX}" y="${BAR_PX + (at + 0.8) * LINE_PX}">${spans(line)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<style>${STYLE}</style>`,
    `<rect width="${width}" height="${height}" rx="10" fill="#101010"/>`,
    ...dots,
    ...texts,
    '</svg>',
    '',
  ].join('\n');
}

function spans(line: string): string {
  let classes: readonly string[] = [];
  return line
    .split(SGR)
    .map((part, at) => {
      if (at % 2 === 0) return span(part, classes);
      const begun = BEGINS[part];
      classes = begun === undefined ? classes.filter((one) => !ENDS[part]?.includes(one)) : [...classes, begun];
      return '';
    })
    .join('');
}

function span(text: string, classes: readonly string[]): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  if (escaped === '' || classes.length === 0) return escaped;
  return `<tspan class="${classes.join(' ')}">${escaped}</tspan>`;
}
