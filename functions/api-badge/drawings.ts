import type { Badge } from '../core/entry/outcome.ts';

/** The measures of the flat style of badge-maker: the space on each side of a text, and the height. */
const PADDING_PX = 5;
const HEIGHT_PX = 20;
/** badge-maker writes the text ten times too large and scales it down, for positions between pixels. */
const TEXT_SCALE = 10;

interface Part {
  readonly text: string;
  /** Width of the text in Verdana at 11 px. */
  readonly textPx: number;
  readonly fill: string;
}

const LABEL: Part = { text: 'deployment', textPx: 65, fill: '#555' };

/**
 * The badge of each outcome, byte for byte as badge-maker draws it in the flat style; a test compares them. badge-maker
 * itself is not loaded, because its table of character widths adds a megabyte to every cold start.
 */
export const drawings: Readonly<Record<Badge, string>> = {
  ok: draw({ text: 'ok', textPx: 13, fill: '#4b0' }),
  failed: draw({ text: 'failed', textPx: 29, fill: '#dd4343' }),
  crashed: draw({ text: 'crashed', textPx: 43, fill: '#dd4343' }),
  deploying: draw({ text: 'deploying', textPx: 53, fill: '#007ec6' }),
  held: draw({ text: 'held', textPx: 23, fill: '#d8b800' }),
  unknown: draw({ text: 'unknown', textPx: 51, fill: '#939393' }),
};

function draw(message: Part): string {
  const title = `${LABEL.text}: ${message.text}`;
  const labelPx = widthOf(LABEL);
  const messagePx = widthOf(message);
  const size = `width="${labelPx + messagePx}" height="${HEIGHT_PX}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    '<filter id="blur"><feGaussianBlur stdDeviation="16"/></filter>',
    '<linearGradient id="s" x2="0" y2="100%">',
    '<stop offset="0" stop-color="#bbb" stop-opacity=".1"/><stop offset="1" stop-opacity=".1"/>',
    '</linearGradient>',
    `<clipPath id="r"><rect ${size} rx="3"/></clipPath>`,
    '<g clip-path="url(#r)">',
    `<rect width="${labelPx}" height="${HEIGHT_PX}" fill="${LABEL.fill}"/>`,
    `<rect x="${labelPx}" width="${messagePx}" height="${HEIGHT_PX}" fill="${message.fill}"/>`,
    `<rect ${size} fill="url(#s)"/>`,
    '</g>',
    '<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif"',
    ' text-rendering="geometricPrecision" font-size="110">',
    drawText(LABEL, labelPx / 2 + 1),
    drawText(message, labelPx + messagePx / 2 - 1),
    '</g>',
    '</svg>',
  ].join('');
}

/** Draws a text with a blurred and a sharp shadow below it. */
function drawText({ text, textPx }: Part, centrePx: number): string {
  const x = centrePx * TEXT_SCALE;
  const length = `textLength="${textPx * TEXT_SCALE}"`;
  return [
    '<g transform="scale(.1)">',
    '<g aria-hidden="true" fill="#010101">',
    `<text x="${x}" y="150" fill-opacity=".8" filter="url(#blur)" ${length}>${text}</text>`,
    `<text x="${x}" y="150" fill-opacity=".3" ${length}>${text}</text>`,
    '</g>',
    `<text x="${x}" y="140" ${length}>${text}</text>`,
    '</g>',
  ].join('');
}

function widthOf({ textPx }: Part): number {
  return textPx + 2 * PADDING_PX;
}
